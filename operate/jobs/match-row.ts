import { storedInstant } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';
import { isQueueOwner } from '../../shared/job/lock-owner.ts';
import type { Condition, Row, TableName } from '../../shared/ports/tables.ts';
import { isFinishedRow, isParked } from '../../shared/store/rows.ts';
import type { CheckedFilter } from './check-filter.ts';
import { COMPARED, NUMBER_FIELDS, VALUE_FIELDS } from './job-filter.ts';
import { isWithin } from './number-range.ts';

/** The tables that hold jobs. */
export type JobTable = Exclude<TableName, 'control'>;

/** The state of a job, by the table of its row and its lock owner. */
export function stateOfRow(table: JobTable, row: Row): JobState {
  if (table === 'jobs') return isQueueOwner(String(row['lockOwner'])) ? 'ready' : 'running';
  if (table === 'timers') return isParked(row['shard']) ? 'parked' : 'waiting';
  if (table === 'suspended') return 'suspended';
  return table === 'deadLetters' ? 'dead' : 'finished';
}

/** The instant that a state is about, as the row holds it. */
export function instantOfRow(state: JobState, row: Row): unknown {
  // The sort key of a parked job contains the time when it was parked.
  if (state === 'parked') return String(row['due']).split('#')[0];
  return row[
    ({ suspended: 'suspendedAt', dead: 'failedAt', finished: 'finishedAt' } as Readonly<Record<string, string>>)[state] ?? 'dueAt'
  ];
}

/** Whether a row matches; `unknown` until the whole row is read, for a row that has only the columns of an index. */
export type Match = 'yes' | 'no' | 'unknown';

/** Fields that no index has. */
export const NOT_IN_INDEXES = COMPARED.filter((field) => VALUE_FIELDS[field].unindexed === true);

/** Compares a row with a filter. `isPartial`: it has only the columns of an index. */
export function matchRow(filter: CheckedFilter, table: JobTable, row: Row, isPartial = false): Match {
  if (table === 'history' && !isFinishedRow(row)) return 'no';
  return matchState(filter, stateOfRow(table, row), row, isPartial);
}

/** Whether a whole row matches. */
export function matchesRow(filter: CheckedFilter, table: JobTable, row: Row): boolean {
  return matchRow(filter, table, row) === 'yes';
}

function matchState(filter: CheckedFilter, state: JobState, row: Row, isPartial: boolean): Match {
  if (!filter.states.includes(state)) return 'no';
  if (filter.ids !== undefined && !filter.ids.includes(String(row['id']))) return 'no';
  const compared = isPartial ? COMPARED.filter((field) => !NOT_IN_INDEXES.includes(field)) : COMPARED;
  if (!compared.every((field) => hasOneOf(filter.values[field], row[field]))) return 'no';
  if (!matchesTenant(filter.tenant, row['tenant']) || !matchesNumbers(filter, row)) return 'no';
  if (!isWithinSpan(filter, instantOfRow(state, row))) return 'no';
  if (!isWithinSpan({ from: filter.createdFrom, to: filter.createdTo }, row['createdAt'])) return 'no';
  if (filter.hasError !== undefined && filter.hasError !== (typeof row['errorName'] === 'string')) return 'no';
  const rest: Match[] = [matchesText(filter, row) ? 'yes' : isPartial ? 'unknown' : 'no'];
  if (isPartial && NOT_IN_INDEXES.some((field) => filter.values[field] !== undefined)) rest.push('unknown');
  if (filter.or !== undefined) rest.push(anyOf(filter.or.map((one) => matchState(one, state, row, isPartial))));
  return rest.includes('no') ? 'no' : rest.includes('unknown') ? 'unknown' : 'yes';
}

function anyOf(matches: readonly Match[]): Match {
  return matches.includes('yes') ? 'yes' : matches.includes('unknown') ? 'unknown' : 'no';
}

function matchesNumbers({ numbers = {} }: CheckedFilter, row: Row): boolean {
  return (Object.keys(numbers) as (keyof typeof NUMBER_FIELDS)[]).every((field) => {
    const bounds = numbers[field];
    return bounds === undefined || isWithin(bounds, row[NUMBER_FIELDS[field]]);
  });
}

/** A row without the attribute matches none of the values. */
export function hasOneOf(wanted: readonly string[] | undefined, value: unknown): boolean {
  return wanted === undefined || (typeof value === 'string' && wanted.includes(value));
}

/** Whether a row is of a tenant that is asked for. */
export function matchesTenant(wanted: CheckedFilter['tenant'], tenant: unknown): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return tenant === undefined;
  return typeof tenant === 'string' && ('prefix' in wanted ? tenant.startsWith(wanted.prefix) : wanted.includes(tenant));
}

interface Span {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Whether a stored instant lies within a span; one that cannot be read lies in the open span alone. */
export function isWithinSpan({ from, to }: Span, stored: unknown): boolean {
  if (from === undefined && to === undefined) return true;
  const at = storedInstant(stored);
  return at !== undefined && (from === undefined || at >= from) && (to === undefined || at < to);
}

/** Whether the text occurs in the error message, or in the payload if the row has one: as it is, or escaped as in JSON. */
export function matchesText({ text }: CheckedFilter, row: Row): boolean {
  if (text === undefined) return true;
  const escaped = JSON.stringify(text).slice(1, -1);
  const [message, payload] = [row['errorMessage'], row['payload']].map((value) => (typeof value === 'string' ? value.toLowerCase() : ''));
  return message?.includes(text) === true || payload?.includes(text) === true || payload?.includes(escaped) === true;
}

/** More operands than this and the rest is left to the reader: an expression has a limit, and the filter only saves bytes on the way. */
const MAX_OPERANDS = 100;

/** What a scan can leave out at the table. Everything is compared again by the reader. */
export function scanFilter(filter: CheckedFilter): Condition | undefined {
  return conditionOf(filter, { operands: MAX_OPERANDS });
}

/** `left`: how much the expression may still hold; a field that does not fit is left to the reader. */
function conditionOf(filter: CheckedFilter, left: { operands: number }): Condition | undefined {
  const of: Condition[] = [];
  const add = (attribute: string, values: readonly string[] | undefined): void => {
    if (values === undefined || values.length > left.operands) return;
    left.operands -= values.length;
    const [first] = values;
    if (values.length === 1 && first !== undefined) of.push({ test: 'equals', attribute, value: first });
    else of.push({ test: 'any', of: values.map((value) => ({ test: 'equals', attribute, value })) });
  };
  for (const field of COMPARED) add(field, filter.values[field]);
  const { tenant, hasError, or } = filter;
  if (tenant === null) of.push({ test: 'absent', attribute: 'tenant' });
  else if (tenant !== undefined && 'prefix' in tenant) of.push({ test: 'beginsWith', attribute: 'tenant', value: tenant.prefix });
  else add('tenant', tenant);
  if (hasError !== undefined) of.push({ test: hasError ? 'present' : 'absent', attribute: 'errorName' });
  const alternatives = or?.map((one) => conditionOf(one, left));
  // An alternative that says nothing at the table lets every row through.
  if (alternatives?.every((one) => one !== undefined) === true) of.push({ test: 'any', of: alternatives });
  return of.length === 0 ? undefined : { test: 'all', of };
}
