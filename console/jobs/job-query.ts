import { durationMs } from '../../shared/core/duration.ts';
import { InvalidInputError } from '../../shared/core/errors.ts';
import { instantMs } from '../../shared/core/instant.ts';
import type { JobState } from '../../shared/core/job.ts';
import { inWords } from '../parts/times.ts';
import { type JobFilter, VALUE_FIELDS } from '../../shared/admin/jobs/job-filter.ts';

/** States in the order of a job's life, with what people call them. */
export const STATE_TABS: readonly { readonly state: JobState; readonly label: string }[] = [
  { state: 'ready', label: 'Ready' },
  { state: 'running', label: 'Running' },
  { state: 'waiting', label: 'Waiting' },
  { state: 'parked', label: 'Parked' },
  { state: 'suspended', label: 'Suspended' },
  { state: 'dead', label: 'Dead' },
  { state: 'finished', label: 'Finished' },
];

/** Fields of a filter that take any of several values. */
export const ANY_OF = ['id', ...VALUE_FIELDS] as const;

/** What a page of jobs shows, as its address says it. */
export interface JobQuery {
  readonly filter: JobFilter;
  readonly after?: string;
  readonly maxReadUnits?: number;
  /** Asked for the numbers of each state. */
  readonly count: boolean;
}

const AGO = /^(\d{1,6})(s|m|h|d)$/;
const AGO_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MOST_READ_UNITS = 1_000_000;

/** Reads an address. Throws InvalidInputError for times and numbers that are none; everything else is the admin's to check. */
export function jobQuery(params: URLSearchParams, now: number): JobQuery {
  const after = params.get('after') ?? '';
  const units = params.get('maxReadUnits') ?? '';
  return {
    filter: jobFilter(params, now),
    count: params.get('count') === '1',
    ...(after === '' ? {} : { after }),
    ...(units === '' ? {} : { maxReadUnits: readUnits(units) }),
  };
}

/** The filter of an address: repeated values mean any of them, empty ones nothing. */
export function jobFilter(params: URLSearchParams, now: number): JobFilter {
  const filter: Record<string, unknown> = {};
  for (const name of ['state', ...ANY_OF]) {
    const values = [...new Set(params.getAll(name).map((value) => value.trim()))].filter((value) => value !== '');
    if (values.length > 0) filter[name] = values.length === 1 ? values[0] : values;
  }
  const tenant = tenantFilter(params);
  if (tenant !== undefined) filter['tenant'] = tenant;
  for (const name of ['from', 'to']) {
    const text = params.get(name)?.trim() ?? '';
    if (text !== '') filter[name] = new Date(timeOf(text, name, now));
  }
  const text = params.get('text') ?? '';
  if (text !== '') filter['text'] = text;
  return filter;
}

/** Refuses a text where fields are hidden: whether it is found would tell what they hold, a letter at a time. */
export function searchable(filter: JobFilter, { redact }: { readonly redact: readonly string[] }): JobFilter {
  if (filter.text === undefined || redact.length === 0) return filter;
  throw new InvalidInputError('text', '[redacted]', 'This console hides fields of payloads, so it does not search their text.');
}

/** The same filter as an address, without cursor. `tenants` says how a tenant is meant. */
export function jobParams(filter: JobFilter): URLSearchParams {
  const params = new URLSearchParams();
  for (const name of ['state', ...ANY_OF] as const) {
    for (const value of [filter[name] ?? []].flat()) params.append(name, value);
  }
  const { tenant, text } = filter;
  if (tenant === null) params.set('tenants', 'none');
  else if (typeof tenant === 'object' && 'prefix' in tenant) {
    params.set('tenants', 'prefix');
    params.set('tenant', tenant.prefix);
  } else for (const value of [tenant ?? []].flat()) params.append('tenant', value);
  for (const name of ['from', 'to'] as const) {
    const at = filter[name];
    if (at !== undefined) params.set(name, new Date(instantMs(at, name)).toISOString());
  }
  if (text !== undefined) params.set('text', text);
  return params;
}

/** The page of jobs that shows exactly what a filter means. */
export function jobsHref(filter: JobFilter, more: Readonly<Record<string, string>> = {}): string {
  const params = jobParams(filter);
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  const text = params.toString();
  return text === '' ? '/jobs' : `/jobs?${text}`;
}

/** A filter in words, its times in a zone, for whoever confirms: `dead jobs of type mail.send, tenant acme`. */
export function filterWords(filter: JobFilter, zone: string): string {
  const { state, tenant, from, to, text } = filter;
  const states = state === undefined ? 'unfinished' : [state].flat().join(' or ');
  const parts = ANY_OF.flatMap((name) => {
    const values = [filter[name] ?? []].flat();
    return values.length === 0 ? [] : [`${FIELD_WORDS[name]} ${few(values)}`];
  });
  if (tenant === null) parts.push('no tenant');
  else if (typeof tenant === 'object' && 'prefix' in tenant) parts.push(`tenant ${tenant.prefix}...`);
  else if (tenant !== undefined) parts.push(`tenant ${few([tenant].flat())}`);
  if (from !== undefined) parts.push(`from ${inWords(new Date(instantMs(from, 'from')), zone)}`);
  if (to !== undefined) parts.push(`before ${inWords(new Date(instantMs(to, 'to')), zone)}`);
  if (text !== undefined) parts.push(`with the text "${text}"`);
  return parts.length === 0 ? `all ${states} jobs` : `${states} jobs: ${parts.join(', ')}`;
}

/** What people call a field. */
export const FIELD_WORDS: Readonly<Record<(typeof ANY_OF)[number], string>> = {
  id: 'id',
  type: 'type',
  group: 'group',
  correlationId: 'correlation id',
  batch: 'batch',
  schedule: 'schedule',
  worker: 'worker',
  lane: 'lane',
  fingerprint: 'error group',
  errorName: 'error',
  reason: 'reason',
  cause: 'cause',
  outcome: 'outcome',
};

function few(values: readonly string[]): string {
  return values.length <= 3 ? values.join(' or ') : `${values.slice(0, 2).join(', ')} or ${values.length - 2} more`;
}

function tenantFilter(params: URLSearchParams): JobFilter['tenant'] {
  const how = params.get('tenants') ?? '';
  const tenants = [...new Set(params.getAll('tenant').map((value) => value.trim()))].filter((value) => value !== '');
  if (how === 'none') return null;
  const [first] = tenants;
  if (first === undefined) return undefined;
  if (how === 'prefix') return { prefix: first };
  return tenants.length === 1 ? first : tenants;
}

/** An ISO instant, or how long ago: `2h`, `30m`, `7d`. */
function timeOf(text: string, field: string, now: number): number {
  const ago = AGO.exec(text);
  if (ago !== null) return now - Number(ago[1]) * AGO_MS[ago[2] as keyof typeof AGO_MS];
  if (text.startsWith('P')) return now - durationMs(text, field);
  try {
    return instantMs(text, field);
  } catch {
    throw new InvalidInputError(field, text, 'Use an instant such as 2026-01-31T12:00:00Z, or how long ago, such as 2h.');
  }
}

function readUnits(text: string): number {
  const units = Number(text);
  if (Number.isInteger(units) && units >= 1 && units <= MOST_READ_UNITS) return units;
  throw new InvalidInputError('maxReadUnits', text, `Use a whole number from 1 to ${MOST_READ_UNITS}.`);
}
