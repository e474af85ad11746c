import { NUMBERS, parseAlternative, TIMES } from '../../operate/jobs/filter-params.ts';
import { ANY_OF, type JobFilter, VALUE_FIELDS, type ValueName, wordsOf } from '../../operate/jobs/job-filter.ts';
import { parseRange, rangeText } from '../../operate/jobs/number-range.ts';
import { defined } from '../../shared/job/defined.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import type { Flag } from '../verb.ts';

/** The states that a filter may name. */
export const STATES: readonly JobState[] = ['waiting', 'parked', 'ready', 'running', 'suspended', 'dead', 'finished'];

const STATE_FLAG: Flag = { flags: '--state <state>', doc: 'in this state', many: true, choices: STATES };

const VALUES: readonly ValueName[] = [...ANY_OF.filter((field) => field !== 'reason'), 'reason'];
/** Flags of fields that take no list of values, by the field that they follow in help. */
const AFTER: Readonly<Partial<Record<ValueName, readonly Flag[]>>> = {
  type: [
    { flags: '--tenant <tenant>', doc: 'of this tenant', many: true },
    { flags: '--tenant-prefix <text>', doc: 'of tenants whose name starts with this text' },
    { flags: '--no-tenant', doc: 'without a tenant' },
  ],
  outcome: [
    {
      flags: '--from <time>',
      doc: 'start, for the time of the state (due, parked, suspended, failed, finished); 2h is two hours ago',
    },
    { flags: '--to <time>', doc: 'end, exclusive' },
    { flags: '--text <text>', doc: 'with this text in the stored payload, or the error message' },
  ],
  lockOwner: [
    { flags: '--priority <range>', doc: 'with this priority: 5, 5.., ..5 or 1..5; --priority=-5 for a negative one' },
    { flags: '--failures <range>', doc: 'with this many failures: 2, 2.., ..2 or 1..2' },
    { flags: '--attempts <range>', doc: 'with this many attempts started' },
    { flags: '--created-from <time>', doc: 'created then or later; 2h is two hours ago' },
    { flags: '--created-to <time>', doc: 'created before' },
    { flags: '--with-error', doc: 'with an error: of the last failure, or what a dead letter died of' },
    { flags: '--without-error', doc: 'without an error' },
    {
      flags: '--or <filter>',
      doc: 'matches at least one of these too: type=mail.send&tenant=acme, with the fields and the encoding of an address of the console',
      many: true,
    },
  ],
};
const FILTERS = VALUES.flatMap((name) => [valueFlag(name), ...(AFTER[name] ?? [])]);

function valueFlag(name: ValueName): Flag {
  const { doc, value = name, option = name, choices } = VALUE_FIELDS[name];
  return { flags: `--${wordsOf(option, '-')} <${value}>`, doc, many: true, ...defined({ choices }) };
}

/** The flags of a filter; without `--state` where the command is about one state. */
export function filterFlags(state?: JobState): readonly Flag[] {
  return [...(state === undefined ? [STATE_FLAG] : []), ...FILTERS];
}

/** `--reason` always means the reason of an action. As a filter it would select different jobs for a list and for an action. */
export const REASON_IS_NO_FILTER = {
  '--reason': 'says why something is done. To choose jobs by their reason use --of-reason.',
} as const;

/** The filter that a call was given; `state` where the command is about one state. */
export function filterOf(call: Call, state?: JobState): JobFilter {
  const or = call.texts('or')?.map((text) => parseAlternative(text, call.io.now()));
  return givenFields({
    state: state ?? anyOf(call.texts('state')),
    ...Object.fromEntries(VALUES.map((name) => [name, anyOf(call.texts(VALUE_FIELDS[name].option ?? name))])),
    tenant: tenantOf(call),
    ...Object.fromEntries(TIMES.map((name) => [name, call.date(name, 'ago')])),
    ...Object.fromEntries(NUMBERS.map((name) => [name, rangeOf(call.text(name), name)])),
    hasError: hasErrorOf(call),
    text: call.text('text'),
    or,
  });
}

function rangeOf(text: string | undefined, field: string): JobFilter['priority'] {
  return text === undefined ? undefined : parseRange(text, field);
}

/** Of `--with-error` and `--without-error`. Throws UsageError for both. */
export function hasErrorOf(call: Call): boolean | undefined {
  const [withError, without] = [call.on('withError'), call.on('withoutError')];
  if (withError && without) throw new UsageError('--with-error and --without-error exclude each other.');
  return withError || without ? withError : undefined;
}

/** The fields that are given. Throws UsageError for an empty one: a variable of a script that was never set would not mean nothing, but everything. */
export function givenFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given = defined(fields);
  for (const [name, value] of Object.entries(given)) {
    const texts: readonly unknown[] = Array.isArray(value) ? value : [(value as { readonly prefix?: unknown } | null)?.prefix ?? value];
    if (texts.some((text) => typeof text === 'string' && text.trim() === '')) {
      throw new UsageError(`the filter's ${name} is empty. Give it a value, or leave its option out.`);
    }
  }
  return given;
}

/** Whether a filter has any field other than the command's state. */
export function saysSomething(filter: JobFilter, state?: JobState): boolean {
  return Object.keys(filter).some((name) => name !== 'state' || state === undefined);
}

/** A flag that may be repeated: its value, or its values. */
export function anyOf(values: readonly string[] | undefined): string | readonly string[] | undefined {
  return values?.length === 1 ? values[0] : values;
}

/** Of `--tenant`, `--tenant-prefix` and `--no-tenant`. Throws UsageError for several of them. */
export function tenantOf(call: Call): JobFilter['tenant'] {
  const prefix = call.text('tenantPrefix');
  const given = call.texts('tenant');
  // Commander keeps `--tenant` and `--no-tenant` under one name: what came last counts, so both together are seen only as the last.
  if (prefix !== undefined && (given !== undefined || call.off('tenant'))) {
    throw new UsageError('--tenant-prefix, --tenant and --no-tenant exclude each other.');
  }
  if (prefix !== undefined) return { prefix };
  return call.off('tenant') ? null : anyOf(given);
}

/** A filter in words, for the sentence that is confirmed: `of type a or b, tenant x`. Users' texts: show it through `plain`. */
export function filterWords(filter: JobFilter): string {
  const { state: _state, or = [], ...fields } = filter;
  const words = Object.entries(fields).map(([name, value]) => wordOf(name, value));
  const either = or.map((one) => `(${Object.entries(one).map(([name, value]) => wordOf(name, value)).join(', ')})`); // oxfmt-ignore
  if (either.length > 0) words.push(`either ${either.join(' or ')}`);
  return words.length === 0 ? '' : ` with ${words.join(', ')}`;
}

function wordOf(name: string, value: unknown): string {
  const label = wordsOf(name);
  if (name === 'hasError') return value === true ? 'an error' : 'no error';
  if (value === null) return `no ${label}`;
  if (value instanceof Date) return `${label} ${value.toISOString()}`;
  if (Array.isArray(value)) return `${label} ${value.join(' or ')}`;
  if (NUMBERS.some((field) => field === name)) return `${label} ${rangeText(value as NonNullable<JobFilter['priority']>)}`;
  if (typeof value === 'object') return `${label} beginning with ${String((value as { readonly prefix: unknown }).prefix)}`;
  return `${label} ${value as string}`;
}
