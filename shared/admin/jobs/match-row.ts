import { storedInstant } from '../../core/instant.ts';
import type { JobState } from '../../core/job.ts';
import { isQueueOwner } from '../../core/lock-owner.ts';
import type { Condition, Row, TableName } from '../../ports/tables.ts';
import { isFinishedRow, isParked } from '../../store/rows.ts';
import type { CheckedFilter } from './check-filter.ts';
import { VALUE_FIELDS } from './job-filter.ts';

/** The tables in which jobs lie. */
export type JobTable = Exclude<TableName, 'control'>;

/** The state of a job is where its row lies, and who holds it. */
export function stateOfRow(table: JobTable, row: Row): JobState {
  if (table === 'jobs') return isQueueOwner(String(row['lockOwner'])) ? 'ready' : 'running';
  if (table === 'timers') return isParked(row['shard']) ? 'parked' : 'waiting';
  if (table === 'suspended') return 'suspended';
  return table === 'deadLetters' ? 'dead' : 'finished';
}

/** The instant that a state is about, as the row holds it. */
export function instantOfRow(state: JobState, row: Row): unknown {
  // The sort key of a parked job says since when it waits.
  if (state === 'parked') return String(row['due']).split('#')[0];
  return row[
    ({ suspended: 'suspendedAt', dead: 'failedAt', finished: 'finishedAt' } as Readonly<Record<string, string>>)[state] ?? 'dueAt'
  ];
}

/** Whether a row matches in everything but `text`, which an index does not hold. */
export function matchesFields(filter: CheckedFilter, table: JobTable, row: Row): boolean {
  if (table === 'history' && !isFinishedRow(row)) return false;
  const state = stateOfRow(table, row);
  if (!filter.states.includes(state)) return false;
  if (filter.ids !== undefined && !filter.ids.includes(String(row['id']))) return false;
  if (!VALUE_FIELDS.every((field) => hasOneOf(filter.values[field], row[field]))) return false;
  return matchesTenant(filter.tenant, row['tenant']) && matchesRange(filter, instantOfRow(state, row));
}

/** A row without the attribute has none of the values, whatever they are. */
function hasOneOf(wanted: readonly string[] | undefined, value: unknown): boolean {
  return wanted === undefined || (typeof value === 'string' && wanted.includes(value));
}

function matchesTenant(wanted: CheckedFilter['tenant'], tenant: unknown): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return tenant === undefined;
  return typeof tenant === 'string' && ('prefix' in wanted ? tenant.startsWith(wanted.prefix) : wanted.includes(tenant));
}

function matchesRange({ from, to }: CheckedFilter, stored: unknown): boolean {
  if (from === undefined && to === undefined) return true;
  const at = storedInstant(stored);
  return at !== undefined && (from === undefined || at >= from) && (to === undefined || at < to);
}

/** Whether the text stands in the error message, or in the payload where the row has it: as it is, or as JSON writes it. */
export function matchesText({ text }: CheckedFilter, row: Row): boolean {
  if (text === undefined) return true;
  const escaped = JSON.stringify(text).slice(1, -1);
  const [message, payload] = [row['errorMessage'], row['payload']].map((value) => (typeof value === 'string' ? value.toLowerCase() : ''));
  return message?.includes(text) === true || payload?.includes(text) === true || payload?.includes(escaped) === true;
}

/** More operands than this and the rest is left to the reader: an expression has a limit, and the filter only saves bytes on the way. */
const MOST_OPERANDS = 100;

/** What a scan can leave out at the table. Everything is compared again by the reader. */
export function scanFilter(filter: CheckedFilter): Condition | undefined {
  const of: Condition[] = [];
  let operands = 0;
  const add = (attribute: string, values: readonly string[] | undefined): void => {
    if (values === undefined || operands + values.length > MOST_OPERANDS) return;
    operands += values.length;
    const [first] = values;
    if (values.length === 1 && first !== undefined) of.push({ test: 'equals', attribute, value: first });
    else of.push({ test: 'any', of: values.map((value) => ({ test: 'equals', attribute, value })) });
  };
  for (const field of VALUE_FIELDS) add(field, filter.values[field]);
  const { tenant } = filter;
  if (tenant === null) of.push({ test: 'absent', attribute: 'tenant' });
  else if (tenant !== undefined && 'prefix' in tenant) of.push({ test: 'beginsWith', attribute: 'tenant', value: tenant.prefix });
  else add('tenant', tenant);
  return of.length === 0 ? undefined : { test: 'all', of };
}
