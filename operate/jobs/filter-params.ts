import { durationMs } from '../../shared/job/duration.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { instantMs } from '../../shared/job/instant.ts';
import { ANY_OF, type FilterFields, type JobFilter, NUMBER_FIELDS } from './job-filter.ts';
import { parseRange, rangeText } from './number-range.ts';

/** The fields that are times. */
export const TIMES = ['from', 'to', 'createdFrom', 'createdTo'] as const;
/** The fields that are numbers. */
export const NUMBERS = Object.keys(NUMBER_FIELDS) as readonly (keyof typeof NUMBER_FIELDS)[];
/** What a filter is made of as parameters of an address. */
const PARAMS: readonly string[] = ['state', ...ANY_OF, 'tenant', 'tenants', ...TIMES, ...NUMBERS, 'hasError', 'text'];

const AGO = /^(\d{1,6})(s|m|h|d)$/;
const AGO_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The filter of an address: repeated values mean any of them, empty ones nothing, and each `or` is an alternative as an address of its own.
 * Throws InvalidInputError for times, numbers and alternatives that are none; everything else is the admin's to check.
 */
export function filterOfParams(params: URLSearchParams, now: number): JobFilter {
  const or = params.getAll('or').filter((text) => text.trim() !== '');
  return { ...fieldsOf(params, now), ...(or.length === 0 ? {} : { or: or.map((text) => parseAlternative(text, now)) }) };
}

/** An alternative that was typed, `type=mail.send&tenant=acme`: as an address has it. Throws InvalidInputError. */
export function parseAlternative(text: string, now: number): FilterFields {
  const params = new URLSearchParams(text.trim());
  for (const name of params.keys()) {
    if (!PARAMS.includes(name)) throw new InvalidInputError('or', name, `Use field=value&field=value with ${PARAMS.join(', ')}.`);
  }
  const fields = fieldsOf(params, now);
  if (Object.keys(fields).length > 0) return fields;
  throw new InvalidInputError('or', text, 'Use field=value&field=value, such as type=mail.send&tenant=acme.');
}

/** The same filter as an address. `tenants`: how the tenant is matched. */
export function paramsOfFilter(filter: JobFilter): URLSearchParams {
  const params = new URLSearchParams();
  for (const name of ['state', ...ANY_OF] as const) {
    for (const value of [filter[name] ?? []].flat()) params.append(name, value);
  }
  const { tenant, text, hasError, or = [] } = filter;
  if (tenant === null) params.set('tenants', 'none');
  else if (typeof tenant === 'object' && 'prefix' in tenant) {
    params.set('tenants', 'prefix');
    params.set('tenant', tenant.prefix);
  } else for (const value of [tenant ?? []].flat()) params.append('tenant', value);
  for (const name of TIMES) {
    const at = filter[name];
    if (at !== undefined) params.set(name, new Date(instantMs(at, name)).toISOString());
  }
  for (const name of NUMBERS) {
    const range = filter[name];
    if (range !== undefined) params.set(name, rangeText(range));
  }
  if (hasError !== undefined) params.set('hasError', String(hasError));
  if (text !== undefined) params.set('text', text);
  for (const one of or) params.append('or', paramsOfFilter(one).toString());
  return params;
}

function fieldsOf(params: URLSearchParams, now: number): FilterFields {
  const fields: Record<string, unknown> = {};
  for (const name of ['state', ...ANY_OF]) {
    const values = distinct(params.getAll(name));
    if (values.length > 0) fields[name] = values.length === 1 ? values[0] : values;
  }
  const tenant = tenantOf(params);
  if (tenant !== undefined) fields['tenant'] = tenant;
  const said = (name: string): string => params.get(name)?.trim() ?? '';
  for (const name of TIMES) if (said(name) !== '') fields[name] = new Date(timeOf(said(name), name, now));
  for (const name of NUMBERS) if (said(name) !== '') fields[name] = parseRange(said(name), name);
  if (said('hasError') !== '') fields['hasError'] = flagOf(said('hasError'));
  const text = params.get('text') ?? '';
  if (text !== '') fields['text'] = text;
  return fields;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '');
}

function tenantOf(params: URLSearchParams): FilterFields['tenant'] {
  const how = params.get('tenants') ?? '';
  const tenants = distinct(params.getAll('tenant'));
  if (how === 'none') return null;
  const [first] = tenants;
  if (first === undefined) return undefined;
  if (how === 'prefix') return { prefix: first };
  return tenants.length === 1 ? first : tenants;
}

function flagOf(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidInputError('hasError', text, 'Use true or false.');
}

/** An ISO instant, or how long ago: `2h`, `30m`, `7d`. */
export function timeOf(text: string, field: string, now: number): number {
  const ago = AGO.exec(text);
  if (ago !== null) return now - Number(ago[1]) * AGO_MS[ago[2] as keyof typeof AGO_MS];
  if (text.startsWith('P')) return now - durationMs(text, field);
  try {
    return instantMs(text, field);
  } catch {
    throw new InvalidInputError(field, text, 'Use an instant such as 2026-01-31T12:00:00Z, or how long ago, such as 2h.');
  }
}
