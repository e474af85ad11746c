import { defined } from '../../shared/job/defined.ts';
import { durationMs } from '../../shared/job/duration.ts';
import { Described, InvalidInputError } from '../../shared/job/errors.ts';
import { checkFlag, checkOptions, checkText } from '../../shared/job/names.ts';
import { checkFilter } from '../jobs/check-filter.ts';
import type { JobFilter } from '../jobs/job-filter.ts';
import { type BulkAction, JOB_VERBS, verbNamed } from '../verbs.ts';
import type { JobVerb } from '../verbs/verb.ts';
import type { BulkOptions } from './bulk-verbs.ts';

const OPTIONS = [
  'dryRun',
  'ratePerSecond',
  'canary',
  'canaryWithin',
  'limit',
  'actor',
  'reason',
  'onBegin',
  'onProgress',
  'signal',
] as const satisfies readonly (keyof BulkOptions)[];
const WITH_CANARY = JOB_VERBS.filter((verb: JobVerb) => verb.canary !== undefined).map(({ name }) => name);
const CANARY_WITHIN_MS = 5 * 60_000;

/** A bulk action as it was checked: times are absolute, and the filter names the states that are meant. */
export interface BulkRequest {
  readonly action: BulkAction;
  readonly filter: JobFilter;
  readonly limit?: number;
  readonly ratePerSecond?: number;
  /** Milliseconds that the canary may take. */
  readonly canaryWithinMs?: number;
  readonly reason?: string;
}

/** Checks everything before anything is read. Throws InvalidInputError, naming field, value and fix. */
export function bulkRequest(action: BulkAction, filter: JobFilter, options: BulkOptions, now: number): BulkRequest {
  checkOptions(options, OPTIONS, 'options');
  checkFlag(options.dryRun, 'dryRun');
  checkHooks(options);
  const reason = checkText(options.reason, 'reason');
  const checked = checkAction(action, now);
  return {
    action: checked,
    filter: meantBy(checked, filter),
    ...(options.limit === undefined ? {} : { limit: positive(options.limit, 'limit') }),
    ...(options.ratePerSecond === undefined ? {} : { ratePerSecond: checkRate(options.ratePerSecond) }),
    ...canaryOf(checked, options, now),
    ...defined({ reason }),
  };
}

/** Checks callbacks and signal: an invalid one would end a run half-way. */
export function checkHooks(options: Readonly<Partial<Record<'onBegin' | 'onProgress' | 'signal', unknown>>>): void {
  for (const name of ['onBegin', 'onProgress'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw new InvalidInputError(name, options[name], 'Give a function.');
  }
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw new InvalidInputError('signal', options.signal, 'Give the signal of an AbortController.');
  }
}

/** A number of jobs a second, which may be a fraction. */
export function checkRate(rate: unknown): number {
  if (typeof rate === 'number' && Number.isFinite(rate) && rate >= 0.01 && rate <= 100_000) return rate;
  throw new InvalidInputError('ratePerSecond', rate, 'Use a number from 0.01 to 100000, or leave it out to go as fast as possible.');
}

function positive(count: unknown, field: string): number {
  if (Number.isSafeInteger(count) && Number(count) >= 1) return Number(count);
  throw new InvalidInputError(field, count, 'Use a whole number, 1 or more.');
}

function checkAction(action: BulkAction, now: number): BulkAction {
  const name: unknown = (action as Partial<BulkAction> | undefined)?.verb;
  const verb = verbNamed(name);
  if (verb === undefined) throw new InvalidInputError('verb', name, `Use one of ${JOB_VERBS.map((one) => one.name).join(', ')}.`);
  const fields = [...(verb.arguments ?? []).map(({ field }) => field), ...(verb.moreFields ?? [])];
  checkOptions(action, ['verb', ...fields], 'action');
  return verb.check?.(action, now) ?? ({ verb: action.verb } as BulkAction);
}

function meantBy(action: BulkAction, filter: JobFilter): JobFilter {
  const checked = checkFilter(filter);
  if (!checked.namesSomething) {
    throw new InvalidInputError(
      'filter',
      new Described('{}'),
      "Give a filter such as type, tenant or fingerprint. For all jobs of a state use { state: 'dead' }.",
    );
  }
  const verb = verbNamed(action.verb);
  const narrowed = verb.actsOn?.(action);
  const acts = narrowed ?? verb.acts;
  const means = narrowed ?? verb.means ?? acts;
  const asked = filter.state === undefined ? means : checked.states;
  const states = asked.filter((state) => acts.includes(state) && checked.states.includes(state));
  // Fields of one state imply that state: a fingerprint means dead letters.
  const named = states.length > 0 ? states : checked.states.filter((state) => acts.includes(state));
  if (named.length === 0) {
    throw new InvalidInputError(
      'filter',
      checked.states.join(', '),
      `${verb.name} acts on jobs that are ${acts.join(', ')}; no job of this filter can be.`,
    );
  }
  return { ...(JSON.parse(JSON.stringify(filter)) as JobFilter), state: named };
}

function canaryOf(action: BulkAction, { canary, canaryWithin }: BulkOptions, now: number): Pick<BulkRequest, 'canaryWithinMs'> {
  if (checkFlag(canary, 'canary') !== true) return {};
  const { canary: first } = verbNamed(action.verb);
  if (first === undefined) {
    const able = WITH_CANARY.join(', ');
    throw new InvalidInputError('canary', action.verb, `A canary is for ${able}: the other verbs run nothing. Use limit: 1.`);
  }
  const withinMs = canaryWithin === undefined ? CANARY_WITHIN_MS : durationMs(canaryWithin, 'canaryWithin');
  if (withinMs < 1_000) throw new InvalidInputError('canaryWithin', canaryWithin, 'Use a second or more.');
  if ((first.startsAt?.(action) ?? now) > now + withinMs) {
    const fix = 'It would be over before its job is due. Give a longer canaryWithin, or an earlier time.';
    throw new InvalidInputError('canary', 'at' in action ? action.at : undefined, fix);
  }
  return { canaryWithinMs: withinMs };
}
