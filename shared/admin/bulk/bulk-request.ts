import { defined } from '../../core/defined.ts';
import { durationMs } from '../../core/duration.ts';
import { Described, InvalidInputError } from '../../core/errors.ts';
import { dueTime, iso } from '../../core/instant.ts';
import type { JobState } from '../../core/job.ts';
import { checkFlag, checkOptions, checkPriority, checkText } from '../../core/names.ts';
import { checkTenant } from '../edit-verbs.ts';
import { checkFilter } from '../jobs/check-filter.ts';
import type { JobFilter } from '../jobs/job-filter.ts';
import { checkTries } from '../retries.ts';
import type { BulkAction, BulkOptions } from './bulk-verbs.ts';

/** What a verb takes, the states it can do something to, and those of them that it means when the filter names no state. */
interface VerbTerms {
  readonly fields: readonly string[];
  readonly acts: readonly JobState[];
  readonly means?: readonly JobState[];
}

const LIVING = ['waiting', 'parked', 'suspended', 'ready', 'running'] as const satisfies readonly JobState[];

const VERBS: Readonly<Record<BulkAction['verb'], VerbTerms>> = {
  redrive: { fields: ['retries', 'at'], acts: ['dead'] },
  delete: { fields: [], acts: ['dead'] },
  cancel: { fields: [], acts: LIVING },
  'set-retries': { fields: ['retries'], acts: [...LIVING, 'dead'] },
  // Both would bring dead letters back, or let go what an operator stopped, which nobody means who does not say so.
  'set-due-date': { fields: ['runAt', 'delay'], acts: ['waiting', 'parked', 'ready', 'dead'], means: ['waiting', 'parked', 'ready'] },
  'run-now': { fields: [], acts: ['waiting', 'suspended', 'ready'] },
  'set-priority': { fields: ['priority'], acts: ['waiting', 'parked', 'suspended', 'ready'] },
  suspend: { fields: [], acts: ['waiting', 'suspended', 'ready'], means: ['waiting', 'ready'] },
  activate: { fields: [], acts: ['suspended'] },
  'change-tenant': { fields: ['tenant'], acts: ['waiting', 'parked', 'suspended', 'ready', 'dead'] },
};

/** The states in which a verb does something to a job. */
export const statesOf = (verb: BulkAction['verb']): readonly JobState[] => VERBS[verb].acts;

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
const WITH_CANARY: readonly BulkAction['verb'][] = ['redrive', 'run-now', 'activate'];
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

/** Checks everything before anything is read. Throws InvalidInputError that names field, value and fix. */
export function bulkRequest(action: BulkAction, filter: JobFilter, options: BulkOptions, now: number): BulkRequest {
  checkOptions(options, OPTIONS, 'options');
  checkFlag(options.dryRun, 'dryRun');
  checkHooks(options);
  const reason = checkText(options.reason, 'reason');
  const checked = checkAction(action, now);
  return {
    action: checked,
    filter: meantBy(checked.verb, filter),
    ...(options.limit === undefined ? {} : { limit: positive(options.limit, 'limit') }),
    ...(options.ratePerSecond === undefined ? {} : { ratePerSecond: checkRate(options.ratePerSecond) }),
    ...canaryOf(checked, options, now),
    ...defined({ reason }),
  };
}

/** What a run calls and looks at: a wrong one would end it in the middle. */
export function checkHooks(options: Pick<BulkOptions, 'onBegin' | 'onProgress' | 'signal'>): void {
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
  throw new InvalidInputError('ratePerSecond', rate, 'Use a number from 0.01 to 100000, or leave it out for as fast as it goes.');
}

function positive(count: unknown, field: string): number {
  if (Number.isSafeInteger(count) && Number(count) >= 1) return Number(count);
  throw new InvalidInputError(field, count, 'Use a whole number, 1 or more.');
}

function checkAction(action: BulkAction, now: number): BulkAction {
  const verb: unknown = (action as Partial<BulkAction> | undefined)?.verb;
  if (typeof verb !== 'string' || !Object.hasOwn(VERBS, verb)) {
    throw new InvalidInputError('verb', verb, `Use one of ${Object.keys(VERBS).join(', ')}.`);
  }
  checkOptions(action, ['verb', ...VERBS[verb as BulkAction['verb']].fields], 'action');
  switch (action.verb) {
    case 'redrive': {
      if (action.retries !== undefined) checkTries(action.retries, 'retries');
      return { ...action, ...(action.at === undefined ? {} : { at: iso(dueTime({ runAt: action.at }, now)) }) };
    }
    case 'set-retries':
      return { verb: action.verb, retries: checkTries(action.retries, 'retries') };
    case 'set-priority':
      return { verb: action.verb, priority: checkPriority(action.priority) };
    case 'set-due-date': {
      if (action.runAt === undefined && action.delay === undefined)
        throw new InvalidInputError('action', new Described('{}'), 'Give runAt or delay.');
      return { verb: action.verb, runAt: iso(dueTime(action, now)) };
    }
    case 'change-tenant':
      return { verb: action.verb, tenant: checkTenant(action.tenant) ?? null };
    default:
      return { verb: action.verb };
  }
}

function meantBy(verb: BulkAction['verb'], filter: JobFilter): JobFilter {
  const checked = checkFilter(filter);
  if (!checked.namesSomething) {
    throw new InvalidInputError(
      'filter',
      new Described('{}'),
      "Say which jobs: such as type, tenant or fingerprint. For all of a state say { state: 'dead' }.",
    );
  }
  const { acts, means = acts } = VERBS[verb];
  const asked = filter.state === undefined ? means : checked.states;
  const states = asked.filter((state) => acts.includes(state) && checked.states.includes(state));
  // Fields that belong to one state say the state too: who names a fingerprint means dead letters.
  const named = states.length > 0 ? states : checked.states.filter((state) => acts.includes(state));
  if (named.length === 0) {
    throw new InvalidInputError(
      'filter',
      checked.states.join(', '),
      `${verb} acts on jobs that are ${acts.join(', ')}; no job of this filter can be.`,
    );
  }
  return { ...(JSON.parse(JSON.stringify(filter)) as JobFilter), state: named };
}

function canaryOf(action: BulkAction, { canary, canaryWithin }: BulkOptions, now: number): Pick<BulkRequest, 'canaryWithinMs'> {
  if (checkFlag(canary, 'canary') !== true) return {};
  if (!WITH_CANARY.includes(action.verb)) {
    throw new InvalidInputError(
      'canary',
      action.verb,
      `A canary is for ${WITH_CANARY.join(', ')}: the other verbs run nothing. Use limit: 1.`,
    );
  }
  const withinMs = canaryWithin === undefined ? CANARY_WITHIN_MS : durationMs(canaryWithin, 'canaryWithin');
  if (withinMs < 1_000) throw new InvalidInputError('canaryWithin', canaryWithin, 'Give it a second or more.');
  if (action.verb === 'redrive' && action.at !== undefined && Date.parse(String(action.at)) > now + withinMs) {
    throw new InvalidInputError(
      'canary',
      action.at,
      'It would be over before its job is due. Give a longer canaryWithin, or an earlier time.',
    );
  }
  return { canaryWithinMs: withinMs };
}
