import { defined } from '../../core/defined.ts';
import { Described, InvalidInputError } from '../../core/errors.ts';
import { instantMs } from '../../core/instant.ts';
import type { JobState } from '../../core/job.ts';
import { checkJobId } from '../../core/job-id.ts';
import { checkOptions, checkText, checkTypeName, checkWorkerName } from '../../core/names.ts';
import { type JobFilter, VALUE_FIELDS } from './job-filter.ts';

type ValueField = (typeof VALUE_FIELDS)[number];

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
  /** Whether it says anything at all: what changes jobs refuses one that does not. */
  readonly namesSomething: boolean;
}

/** Every state, in the order in which places are read: a job that goes the usual way during a pass is met again rather than missed. */
export const STATES = ['waiting', 'parked', 'suspended', 'ready', 'running', 'dead', 'finished'] as const satisfies readonly JobState[];
const OUTCOMES = ['completed', 'cancelled', 'skipped'] as const;
const FIELDS = ['state', 'id', 'tenant', 'from', 'to', 'text', ...VALUE_FIELDS];
const MOST_VALUES = 50;
const MOST_IDS = 1_000;
/** The years that instants in rows have. */
const YEARS = { from: 0, to: Date.UTC(9999, 0) - 1 } as const;
/** In which states an attribute can be there at all. */
const ONLY_IN: Readonly<Partial<Record<ValueField, readonly JobState[]>>> = {
  fingerprint: ['dead'],
  reason: ['dead', 'suspended'],
  cause: ['suspended'],
  outcome: ['finished'],
};

/** Checks a filter; `more` are options that may stand beside its fields. Throws InvalidInputError, naming field, value and fix. */
export function checkFilter(filter: JobFilter, more: readonly string[] = []): CheckedFilter {
  checkOptions(filter, [...FIELDS, ...more], 'filter');
  const values = checkValues(filter);
  const ids = listOf(filter.id, 'id', (id) => checkJobId(id), MOST_IDS);
  const tenant = checkTenant(filter.tenant);
  const range = checkRange(filter);
  const text = filter.text === undefined ? undefined : someText(filter.text, 'text');
  const asked = listOf(filter.state, 'state', (state) => oneOf(state, STATES, 'state'), MOST_VALUES);
  return {
    states: statesOf(asked, values),
    ...defined({ ids }),
    values,
    ...defined({ tenant }),
    ...range,
    ...(text === undefined ? {} : { text: text.toLowerCase() }),
    namesSomething: FIELDS.some((name) => filter[name as keyof JobFilter] !== undefined),
  };
}

function statesOf(asked: readonly JobState[] | undefined, values: CheckedFilter['values']): readonly JobState[] {
  const fields = Object.keys(ONLY_IN) as ValueField[];
  const possible = (state: JobState): boolean => fields.every((field) => values[field] === undefined || ONLY_IN[field]?.includes(state));
  // Who asks for an outcome means finished jobs, although lists leave those out.
  const meant = asked ?? STATES.filter((state) => state !== 'finished' || values.outcome !== undefined);
  return STATES.filter((state) => meant.includes(state) && possible(state));
}

function checkValues(filter: JobFilter): CheckedFilter['values'] {
  const entries = VALUE_FIELDS.flatMap((field) => {
    const values = listOf<string>(filter[field], field, (value) => checkValue(value, field), MOST_VALUES);
    return values === undefined ? [] : [[field, values]];
  });
  return Object.fromEntries(entries) as CheckedFilter['values'];
}

function checkValue(value: unknown, field: ValueField): string {
  if (field === 'type') return checkTypeName(value);
  if (field === 'worker' || field === 'lane') return checkWorkerName(value, field);
  if (field === 'outcome') return oneOf(value, OUTCOMES, field);
  return someText(value, field);
}

function someText(value: unknown, field: string): string {
  const text = checkText(value, field);
  if (text === undefined) throw new InvalidInputError(field, value, 'Use a text of at least one character, or leave the field out.');
  return text;
}

function oneOf<Value extends string>(value: unknown, known: readonly Value[], field: string): Value {
  if (known.includes(value as Value)) return value as Value;
  throw new InvalidInputError(field, value, `Use one of ${known.join(', ')}.`);
}

function listOf<Value>(given: unknown, field: string, check: (value: unknown) => Value, most: number): readonly Value[] | undefined {
  if (given === undefined) return undefined;
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (values.length === 0) throw new InvalidInputError(field, new Described('[]'), 'Name at least one value, or leave the field out.');
  if (values.length > most) throw new InvalidInputError(field, new Described(`${values.length} values`), `Name at most ${most}.`);
  return [...new Set(Array.from(values, check))];
}

function checkTenant(tenant: JobFilter['tenant']): CheckedFilter['tenant'] {
  if (tenant === undefined || tenant === null) return tenant;
  if (typeof tenant !== 'object' || Array.isArray(tenant)) return listOf(tenant, 'tenant', tenantName, MOST_VALUES);
  checkOptions(tenant, ['prefix'], 'tenant');
  return { prefix: someText((tenant as { readonly prefix: string }).prefix, 'tenant.prefix') };
}

function tenantName(value: unknown): string {
  const tenant = checkText(value, 'tenant');
  if (tenant === undefined) throw new InvalidInputError('tenant', value, 'Name a tenant; null means the jobs that have none.');
  return tenant;
}

function checkRange({ from, to }: JobFilter): { readonly from?: number; readonly to?: number } {
  const within = (ms: number): number => Math.min(Math.max(ms, YEARS.from), YEARS.to);
  const first = from === undefined ? undefined : within(instantMs(from, 'from'));
  const end = to === undefined ? undefined : within(instantMs(to, 'to'));
  if (first !== undefined && end !== undefined && first >= end) throw new InvalidInputError('to', to, 'Use an instant after `from`.');
  return defined({ from: first, to: end });
}
