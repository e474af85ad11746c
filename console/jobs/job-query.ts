import { InvalidInputError } from '../../shared/job/errors.ts';
import { instantMs } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';
import { inWords } from '../parts/times.ts';
import { filterOfParams, NUMBERS, paramsOfFilter } from '../../operate/jobs/filter-params.ts';
import {
  ANY_OF,
  type FilterFields,
  type JobFilter,
  type ListOrder,
  VALUE_FIELDS,
  type ValueName,
  wordsOf,
} from '../../operate/jobs/job-filter.ts';
import { rangeText } from '../../operate/jobs/number-range.ts';

/** States in the order of a job's life, with their labels. */
export const STATE_TABS: readonly { readonly state: JobState; readonly label: string }[] = [
  { state: 'ready', label: 'Ready' },
  { state: 'running', label: 'Running' },
  { state: 'waiting', label: 'Waiting' },
  { state: 'parked', label: 'Parked' },
  { state: 'suspended', label: 'Suspended' },
  { state: 'dead', label: 'Dead' },
  { state: 'finished', label: 'Finished' },
];

/** The query of a page of jobs, from its address. */
export interface JobQuery {
  readonly filter: JobFilter;
  readonly after?: string;
  readonly maxReadUnits?: number;
  readonly order?: ListOrder;
  /** Asked for the numbers of each state. */
  readonly count: boolean;
}

const MAX_READ_UNITS = 1_000_000;

/** Reads an address. Throws InvalidInputError for times and numbers that are none; everything else is the admin's to check. */
export function jobQuery(params: URLSearchParams, now: number): JobQuery {
  const after = params.get('after') ?? '';
  const units = params.get('maxReadUnits') ?? '';
  const order = params.get('order') ?? '';
  return {
    filter: filterOfParams(params, now),
    count: params.get('count') === '1',
    ...(after === '' ? {} : { after }),
    ...(order === '' ? {} : { order: order as ListOrder }),
    ...(units === '' ? {} : { maxReadUnits: readUnits(units) }),
  };
}

/** Refuses a text search if fields are hidden: matches would reveal their values, a letter at a time. */
export function searchable(filter: JobFilter, { redact }: { readonly redact: readonly string[] }): JobFilter {
  const searches = filter.text !== undefined || filter.or?.some(({ text }) => text !== undefined) === true;
  if (!searches || redact.length === 0) return filter;
  throw new InvalidInputError('text', '[redacted]', 'This console hides fields of payloads, so it does not search their text.');
}

/** The page of jobs for a filter. */
export function jobsHref(filter: JobFilter, more: Readonly<Record<string, string>> = {}): string {
  const params = paramsOfFilter(filter);
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  const text = params.toString();
  return text === '' ? '/jobs' : `/jobs?${text}`;
}

/** A filter in words, with times in a zone, for confirmations: `dead jobs of type mail.send, tenant acme`. */
export function filterWords(filter: JobFilter, zone: string): string {
  const { state, or = [] } = filter;
  const states = state === undefined ? 'unfinished' : [state].flat().join(' or ');
  const parts = fieldWords(filter, zone);
  const either = or.map((one) => `(${[...stateWords(one), ...fieldWords(one, zone)].join(', ')})`);
  if (either.length > 0) parts.push(`either ${either.join(' or ')}`);
  return parts.length === 0 ? `all ${states} jobs` : `${states} jobs: ${parts.join(', ')}`;
}

function stateWords({ state }: FilterFields): readonly string[] {
  return state === undefined ? [] : [[state].flat().join(' or ')];
}

function fieldWords(fields: FilterFields, zone: string): string[] {
  const { tenant, from, to, createdFrom, createdTo, hasError, text } = fields;
  const at = (instant: NonNullable<typeof from>, field: string): string => inWords(new Date(instantMs(instant, field)), zone);
  const parts = ANY_OF.flatMap((name) => {
    const values = [fields[name] ?? []].flat();
    return values.length === 0 ? [] : [`${labelOf(name)} ${few(values)}`];
  });
  if (tenant === null) parts.push('no tenant');
  else if (typeof tenant === 'object' && 'prefix' in tenant) parts.push(`tenant ${tenant.prefix}...`);
  else if (tenant !== undefined) parts.push(`tenant ${few([tenant].flat())}`);
  for (const name of NUMBERS) if (fields[name] !== undefined) parts.push(`${name} ${rangeText(fields[name])}`);
  if (from !== undefined) parts.push(`from ${at(from, 'from')}`);
  if (to !== undefined) parts.push(`before ${at(to, 'to')}`);
  if (createdFrom !== undefined) parts.push(`created from ${at(createdFrom, 'createdFrom')}`);
  if (createdTo !== undefined) parts.push(`created before ${at(createdTo, 'createdTo')}`);
  if (hasError !== undefined) parts.push(hasError ? 'with an error' : 'without an error');
  if (text !== undefined) parts.push(`with the text "${text}"`);
  return parts;
}

/** The label of a field. */
export const labelOf = (name: ValueName): string => VALUE_FIELDS[name].label ?? wordsOf(name);

function few(values: readonly string[]): string {
  return values.length <= 3 ? values.join(' or ') : `${values.slice(0, 2).join(', ')} or ${values.length - 2} more`;
}

function readUnits(text: string): number {
  const units = Number(text);
  if (Number.isInteger(units) && units >= 1 && units <= MAX_READ_UNITS) return units;
  throw new InvalidInputError('maxReadUnits', text, `Use a whole number from 1 to ${MAX_READ_UNITS}.`);
}
