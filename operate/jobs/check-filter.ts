import { defined } from '../../shared/job/defined.ts';
import { Described, InvalidInputError } from '../../shared/job/errors.ts';
import { instantMs } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { checkFlag, checkOptions, checkText, checkTypeName, checkWorkerName } from '../../shared/job/names.ts';
import { COMPARED, type FilterFields, type JobFilter, NUMBER_FIELDS, VALUE_FIELDS } from './job-filter.ts';
import { type Bounds, checkRange } from './number-range.ts';

type ValueField = (typeof COMPARED)[number];
type NumberField = keyof typeof NUMBER_FIELDS;

/** A filter as it was checked: every value in a list, instants in milliseconds, `text` in small letters. */
export interface CheckedFilter {
  /** States in which a job can match; none where the fields contradict each other or the states asked for. */
  readonly states: readonly JobState[];
  readonly ids?: readonly string[];
  readonly values: Readonly<Partial<Record<ValueField, readonly string[]>>>;
  readonly tenant?: readonly string[] | { readonly prefix: string } | null;
  readonly from?: number;
  readonly to?: number;
  readonly text?: string;
  readonly numbers?: Readonly<Partial<Record<NumberField, Bounds>>>;
  readonly createdFrom?: number;
  readonly createdTo?: number;
  readonly hasError?: boolean;
  /** Alternatives: one of them has to match as well. */
  readonly or?: readonly CheckedFilter[];
  /** Whether a filter has any field: verbs that change jobs refuse an empty one. */
  readonly namesSomething: boolean;
}

/** Every state, in the order in which places are read: a job that goes the usual way during a pass is met again rather than missed. */
export const STATES = ['waiting', 'parked', 'suspended', 'ready', 'running', 'dead', 'finished'] as const satisfies readonly JobState[];
const NUMBERS = Object.keys(NUMBER_FIELDS) as readonly NumberField[];
/** The fields of an alternative; a filter has `or` as well. */
export const FILTER_FIELDS: readonly (keyof FilterFields)[] = [
  ...(['state', 'id', 'tenant', 'from', 'to', 'text', ...COMPARED] as const),
  ...NUMBERS,
  ...(['createdFrom', 'createdTo', 'hasError'] as const),
];
const MAX_VALUES = 50;
const MAX_ALTERNATIVES = 20;
const MAX_IDS = 1_000;
/** The years that instants in rows have. */
const YEARS = { from: 0, to: Date.UTC(9999, 0) - 1 } as const;

/** Checks a filter; `more` are additional options that are allowed. Throws InvalidInputError, naming field, value and fix. */
export function checkFilter(filter: JobFilter, more: readonly string[] = []): CheckedFilter {
  checkOptions(filter, [...FILTER_FIELDS, 'or', ...more], 'filter');
  const asked = statesAsked(filter);
  const own = checkFields(filter, asked);
  if (filter.or === undefined) return own;
  const or = checkAlternatives(filter.or, asked);
  // A state that is not asked for is one of any alternative: `or` may be the only field that means finished jobs.
  const { states } = asked === undefined ? { states: STATES.filter((state) => isPossible(state, own.values)) } : own;
  return { ...own, states: states.filter((state) => or.some((one) => one.states.includes(state))), or, namesSomething: true };
}

function checkAlternatives(or: unknown, asked: readonly JobState[] | undefined): readonly CheckedFilter[] {
  if (!Array.isArray(or) || or.length === 0) throw new InvalidInputError('or', or, 'Give a list of filters, or leave the field out.');
  if (or.length > MAX_ALTERNATIVES) {
    throw new InvalidInputError('or', new Described(`${or.length} filters`), `Give at most ${MAX_ALTERNATIVES}.`);
  }
  return (or as readonly FilterFields[]).map((one) => {
    checkOptions(one, FILTER_FIELDS, 'or');
    const alternative = checkFields(one, statesAsked(one) ?? asked);
    if (alternative.namesSomething) return alternative;
    throw new InvalidInputError('or', new Described('{}'), 'Give each filter a field: an empty one means every job.');
  });
}

function checkFields(filter: FilterFields, asked: readonly JobState[] | undefined): CheckedFilter {
  const values = checkValues(filter);
  const ids = listOf(filter.id, 'id', (id) => checkJobId(id), MAX_IDS);
  const tenant = checkTenant(filter.tenant);
  const text = filter.text === undefined ? undefined : someText(filter.text, 'text');
  return {
    states: statesOf(asked, values),
    ...defined({ ids }),
    values,
    ...defined({ tenant }),
    ...checkTimes(filter, 'from', 'to'),
    ...(text === undefined ? {} : { text: text.toLowerCase() }),
    ...checkNumbers(filter),
    ...checkTimes(filter, 'createdFrom', 'createdTo'),
    ...defined({ hasError: checkFlag(filter.hasError, 'hasError') }),
    namesSomething: FILTER_FIELDS.some((name) => filter[name] !== undefined),
  };
}

function statesAsked({ state }: FilterFields): readonly JobState[] | undefined {
  return listOf(state, 'state', (one) => oneOf(one, STATES, 'state'), MAX_VALUES);
}

function statesOf(asked: readonly JobState[] | undefined, values: CheckedFilter['values']): readonly JobState[] {
  // A filter by outcome means finished jobs, although lists leave those out.
  const meant = asked ?? STATES.filter((state) => state !== 'finished' || values.outcome !== undefined);
  return STATES.filter((state) => meant.includes(state) && isPossible(state, values));
}

function isPossible(state: JobState, values: CheckedFilter['values']): boolean {
  return COMPARED.every((field) => values[field] === undefined || VALUE_FIELDS[field].states?.includes(state) !== false);
}

function checkValues(filter: FilterFields): CheckedFilter['values'] {
  const entries = COMPARED.flatMap((field) => {
    const values = listOf<string>(filter[field], field, (value) => checkValue(value, field), MAX_VALUES);
    return values === undefined ? [] : [[field, values]];
  });
  return Object.fromEntries(entries) as CheckedFilter['values'];
}

function checkValue(value: unknown, field: ValueField): string {
  if (field === 'type') return checkTypeName(value);
  if (field === 'worker' || field === 'lane') return checkWorkerName(value, field);
  const { choices } = VALUE_FIELDS[field];
  return choices === undefined ? someText(value, field) : oneOf(value, choices, field);
}

function someText(value: unknown, field: string): string {
  const text = checkText(value, field);
  if (text === undefined) throw new InvalidInputError(field, value, 'Use a string of at least one character, or leave the field out.');
  return text;
}

/** One of the known values. Throws InvalidInputError. */
export function oneOf<Value extends string>(value: unknown, known: readonly Value[], field: string): Value {
  if (known.includes(value as Value)) return value as Value;
  throw new InvalidInputError(field, value, `Use one of ${known.join(', ')}.`);
}

/** One value or several as a list without repetitions, each checked. Throws InvalidInputError. */
export function listOf<Value>(given: unknown, field: string, check: (value: unknown) => Value, most: number): readonly Value[] | undefined {
  if (given === undefined) return undefined;
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (values.length === 0) throw new InvalidInputError(field, new Described('[]'), 'Name at least one value, or leave the field out.');
  if (values.length > most) throw new InvalidInputError(field, new Described(`${values.length} values`), `Name at most ${most}.`);
  return [...new Set(Array.from(values, check))];
}

function checkTenant(tenant: FilterFields['tenant']): CheckedFilter['tenant'] {
  if (tenant === undefined || tenant === null) return tenant;
  if (typeof tenant !== 'object' || Array.isArray(tenant)) return listOf(tenant, 'tenant', tenantName, MAX_VALUES);
  checkOptions(tenant, ['prefix'], 'tenant');
  return { prefix: someText((tenant as { readonly prefix: string }).prefix, 'tenant.prefix') };
}

function tenantName(value: unknown): string {
  const tenant = checkText(value, 'tenant');
  if (tenant === undefined) throw new InvalidInputError('tenant', value, 'Name a tenant; null means the jobs that have none.');
  return tenant;
}

function checkNumbers(filter: FilterFields): Pick<CheckedFilter, 'numbers'> {
  const given = NUMBERS.filter((field) => filter[field] !== undefined);
  return given.length === 0 ? {} : { numbers: Object.fromEntries(given.map((field) => [field, checkRange(filter[field], field)])) };
}

/** A span of time by the names of its two fields; instants that no row can have become the first or the last that one can. */
function checkTimes<First extends 'from' | 'createdFrom', Last extends 'to' | 'createdTo'>(
  filter: FilterFields,
  first: First,
  last: Last,
): { readonly [Name in First | Last]?: number } {
  const within = (ms: number): number => Math.min(Math.max(ms, YEARS.from), YEARS.to);
  const at = (field: First | Last): number | undefined => {
    const given = filter[field];
    return given === undefined ? undefined : within(instantMs(given, field));
  };
  const [from, to] = [at(first), at(last)];
  if (from !== undefined && to !== undefined && from >= to)
    throw new InvalidInputError(last, filter[last], `Use an instant after \`${first}\`.`);
  return defined({ [first]: from, [last]: to }) as { readonly [Name in First | Last]?: number };
}
