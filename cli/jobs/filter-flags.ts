import { type JobFilter, VALUE_FIELDS } from '../../shared/admin/jobs/job-filter.ts';
import type { JobState } from '../../shared/core/job.ts';
import type { Call } from '../call.ts';
import { UsageError } from '../exit.ts';
import type { Flag } from '../verb.ts';

/** The states that a filter may name. */
export const STATES: readonly JobState[] = ['waiting', 'parked', 'ready', 'running', 'suspended', 'dead', 'finished'];

const STATE_FLAG: Flag = { flags: '--state <state>', doc: 'in this state', many: true, choices: STATES };

const FILTERS: readonly Flag[] = [
  { flags: '--id <id>', doc: 'with this id', many: true },
  { flags: '--type <type>', doc: 'of this type', many: true },
  { flags: '--tenant <tenant>', doc: 'of this tenant', many: true },
  { flags: '--tenant-prefix <text>', doc: 'of tenants whose name starts with this text' },
  { flags: '--no-tenant', doc: 'without a tenant' },
  { flags: '--group <group>', doc: 'of this exclusive group', many: true },
  { flags: '--correlation-id <id>', doc: 'with this correlation id', many: true },
  { flags: '--batch <id>', doc: 'of this batch', many: true },
  { flags: '--schedule <name>', doc: 'made by this schedule', many: true },
  { flags: '--worker <worker>', doc: 'of this worker', many: true },
  { flags: '--lane <lane>', doc: 'of this lane', many: true },
  { flags: '--fingerprint <text>', doc: 'dead letters of this error group', many: true },
  { flags: '--error-name <name>', doc: 'whose last error has this name', many: true },
  { flags: '--cause <cause>', doc: 'suspended by this: a scope such as type#invoice.send, no-handler#<type> or breakpoint', many: true },
  { flags: '--outcome <outcome>', doc: 'finished jobs with this outcome', many: true, choices: ['completed', 'cancelled', 'skipped'] },
  {
    flags: '--from <time>',
    doc: 'start, for the time of the state (due, suspended, failed, finished); 2h is two hours ago',
  },
  { flags: '--to <time>', doc: 'end, exclusive' },
  { flags: '--text <text>', doc: 'with this text in payload or error message' },
  { flags: '--of-reason <reason>', doc: 'dead letters with this reason; jobs at a breakpoint with this reason text', many: true },
];

/** The flags of a filter; without `--state` where the command is about one state. */
export function filterFlags(state?: JobState): readonly Flag[] {
  return [...(state === undefined ? [STATE_FLAG] : []), ...FILTERS];
}

/** `--reason` says everywhere why something is done: words that list nine jobs must not act on fourteen. */
export const REASON_IS_NO_FILTER = {
  '--reason': 'says why something is done. To choose jobs by their reason use --of-reason.',
} as const;

/** The reason of a job is `--of-reason`, because `--reason` is that of an action. */
const ANY_OF = ['id', ...VALUE_FIELDS.filter((field) => field !== 'reason')];

/** The filter that a call was given; `state` where the command is about one state. */
export function filterOf(call: Call, state?: JobState): JobFilter {
  const [from, to] = [call.instant('from', 'ago'), call.instant('to', 'ago')];
  const states = state ?? anyOf(call.texts('state'));
  const filter: Record<string, unknown> = {
    state: states,
    ...Object.fromEntries(ANY_OF.map((name) => [name, anyOf(call.texts(name))])),
    reason: anyOf(call.texts('ofReason')),
    tenant: tenantOf(call),
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
    text: call.text('text'),
  };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) refuseEmpty(name, value);
  return Object.fromEntries(given) as JobFilter;
}

/** A variable of a script that was never set: it would not mean nothing, but everything. */
function refuseEmpty(name: string, value: unknown): void {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [(value as { readonly prefix?: unknown } | null)?.prefix ?? value];
  if (texts.some((text) => typeof text === 'string' && text.trim() === '')) {
    throw new UsageError(`the filter's ${name} is empty. Give it a value, or leave its option out.`);
  }
}

/** Whether a filter says anything but the state that the command is about. */
export function saysSomething(filter: JobFilter, state?: JobState): boolean {
  return Object.keys(filter).some((name) => name !== 'state' || state === undefined);
}

function anyOf(values: readonly string[] | undefined): string | readonly string[] | undefined {
  return values?.length === 1 ? values[0] : values;
}

function tenantOf(call: Call): JobFilter['tenant'] {
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
  const words = Object.entries(filter).flatMap(([name, value]) => (name === 'state' ? [] : [wordOf(name, value)]));
  return words.length === 0 ? '' : ` with ${words.join(', ')}`;
}

function wordOf(name: string, value: unknown): string {
  const label = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (value === null) return `no ${label}`;
  if (value instanceof Date) return `${label} ${value.toISOString()}`;
  if (Array.isArray(value)) return `${label} ${value.join(' or ')}`;
  if (typeof value === 'object') return `${label} beginning with ${String((value as { readonly prefix: unknown }).prefix)}`;
  return `${label} ${value as string}`;
}
