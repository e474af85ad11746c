import type { Duration } from '../core/duration.ts';
import { Described, InvalidInputError } from '../core/errors.ts';
import { dueTime, type Instant } from '../core/instant.ts';
import { checkJobId } from '../core/job-id.ts';
import { mapLimited } from '../core/map-limited.ts';
import { checkOptions, checkText } from '../core/names.ts';
import { jobRef } from '../ports/journal.ts';
import { redrive, type Redriven } from '../store/redrive.ts';
import { leaveErrorGroup } from '../features/error-groups/admin/leave-error-group.ts';
import { reschedule, type Rescheduled } from '../store/reschedule.ts';
import { sendHints } from '../store/send-hints.ts';
import { setRetries, type TriesSet } from '../store/set-retries.ts';
import type { AdminDeps } from './admin-deps.ts';
import { checkedPayload, checkRev } from './edit-verbs.ts';
import { waitForPutWindow } from './wait-for-put-window.ts';

/** When a job is due: at a time, or after a while. The past means now. */
export interface DueOptions {
  readonly runAt?: Instant;
  readonly delay?: Duration;
}

/** Options of a redrive. Without any, the job is due now and has the number of tries of its policy. */
export interface RedriveOptions {
  /** Number of tries, instead of that of the policy. */
  readonly retries?: number;
  /** When the job is due. Default: now. */
  readonly at?: Instant;
  /** A new payload, as for `editPayload`, in the same transaction. Group and unique key stay. */
  readonly payload?: unknown;
  /** The `rev` that you saw. A dead letter that has changed since is left alone, and the answer is `changed`. */
  readonly rev?: number;
  /** Who acts, for the audit. */
  readonly actor?: string;
  /** Why, for the audit. */
  readonly reason?: string;
}

/** What became of a dead letter; only `redriven` wrote. */
export type RedriveOutcome = Redriven['outcome'];

/** What became of `setRetries`: `set`, or for a dead letter what its redrive answered. */
export type SetRetriesOutcome = Exclude<TriesSet['outcome'], 'dead'> | RedriveOutcome;

/** What became of `setDueDate`: `rescheduled`, or for a dead letter what its redrive answered; a running or suspended job and the next occurrence of a schedule are left alone. */
export type SetDueDateOutcome = Exclude<Rescheduled['outcome'], 'dead'> | RedriveOutcome;

/** Outcomes by id; `failed` are those of which nothing is known, with the error. */
export interface BulkOutcomes<Outcome> {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly failed: readonly { readonly id: string; readonly error: Error }[];
}

/** The verbs that give jobs another try, or another time for it. */
export interface RetryVerbs {
  /** Makes a dead letter ready again, or lets it wait until `at`, with fresh counters; the answer says why not, if not. */
  redrive(id: string, options?: RedriveOptions): Promise<RedriveOutcome>;
  redriveMany(ids: readonly string[], options?: RedriveOptions): Promise<BulkOutcomes<RedriveOutcome>>;
  /**
   * Gives a job `more` tries from now on instead of what its policy has left, wherever it lies; a running attempt that fails is
   * judged by it already. A dead letter is redriven with that many.
   */
  setRetries(id: string, more: number): Promise<SetRetriesOutcome>;
  setRetriesMany(ids: readonly string[], more: number): Promise<BulkOutcomes<SetRetriesOutcome>>;
  /** Another due time for a job that waits or is ready; a dead letter is redriven at it. The answer says why not, if not. */
  setDueDate(id: string, when: DueOptions): Promise<SetDueDateOutcome>;
  setDueDateMany(ids: readonly string[], when: DueOptions): Promise<BulkOutcomes<SetDueDateOutcome>>;
}

const MAX_LOOKS = 5;
const MAX_TRIES = 1_000_000;
const PARALLEL = 8;

/** Makes a dead letter ready, or lets it wait for its time, with fresh counters. */
export async function redriveJob(deps: AdminDeps, id: string, options: RedriveOptions = {}): Promise<RedriveOutcome> {
  checkOptions(options, ['retries', 'at', 'payload', 'rev', 'actor', 'reason'], 'options');
  const { retries, at, payload, rev } = options;
  checkText(options.actor, 'actor');
  checkText(options.reason, 'reason');
  const now = deps.clock.now();
  const result = await redrive(deps.tables, checkJobId(id), {
    ...terms(deps, now),
    ...(retries === undefined ? {} : { tries: checkTries(retries, 'retries') }),
    ...(at === undefined ? {} : { dueAt: dueTime({ runAt: at }, now) }),
    ...(payload === undefined ? {} : await checkedPayload(deps, id, payload)),
    ...(rev === undefined ? {} : { rev: checkRev(rev) }),
  });
  if (result.outcome !== 'redriven') return result.outcome;
  deps.journal.record({ event: 'redriven', worker: result.job.worker, job: jobRef(result.job) });
  if (result.ready) await sendHints(deps, [result.ready], now);
  await leaveErrorGroup(deps, { id, fingerprint: result.fingerprint }, 'redriven');
  return 'redriven';
}

/** Gives a job `more` tries from now on; a dead letter is redriven with them. */
export async function setJobRetries(deps: AdminDeps, id: string, more: number): Promise<SetRetriesOutcome> {
  const tries = checkTries(more, 'retries');
  await waitForPutWindow(deps, id);
  return orRedrive(
    async () => {
      const result = await setRetries(deps.tables, checkJobId(id), tries);
      if (result.outcome === 'set') deps.journal.record({ event: 'retries-set', worker: result.job.worker, job: jobRef(result.job) });
      return result.outcome;
    },
    async () => redriveJob(deps, id, { retries: tries }),
  );
}

/** Gives a waiting or ready job another due time; a dead letter is redriven at it. */
export async function setJobDueDate(deps: AdminDeps, id: string, when: DueOptions): Promise<SetDueDateOutcome> {
  checkOptions(when, ['runAt', 'delay'], 'when');
  if (when.runAt === undefined && when.delay === undefined)
    throw new InvalidInputError('when', new Described('{}'), 'Give runAt or delay.');
  await waitForPutWindow(deps, id);
  const dueAt = dueTime(when, deps.clock.now());
  return orRedrive(
    async () => {
      const now = deps.clock.now();
      const result = await reschedule(deps.tables, checkJobId(id), dueAt, terms(deps, now));
      if (result.outcome !== 'rescheduled') return result.outcome;
      deps.journal.record({ event: 'rescheduled', worker: result.job.worker, job: jobRef(result.job) });
      if (result.ready) await sendHints(deps, [result.ready], now);
      return 'rescheduled';
    },
    async () => redriveJob(deps, id, { at: dueAt }),
  );
}

/** Redrives a job that is found dead. The job is looked at again if somebody else redrives it first, because it lives. */
async function orRedrive<Outcome>(
  change: () => Promise<Outcome | 'dead'>,
  redriveIt: () => Promise<RedriveOutcome>,
): Promise<Outcome | RedriveOutcome> {
  for (let look = 1; ; look++) {
    const outcome = await change();
    if (outcome !== 'dead') return outcome;
    const redriven = await redriveIt();
    const faster = redriven === 'not-found' || redriven === 'changed';
    if (!faster) return redriven;
    if (look === MAX_LOOKS) return 'changed';
  }
}

/** The same for each of many ids, a few at a time. One that fails does not stop the others. Throws for arguments that no id could pass with. */
export async function forEachId<Outcome>(ids: readonly string[], one: (id: string) => Promise<Outcome>): Promise<BulkOutcomes<Outcome>> {
  if (!Array.isArray(ids)) throw new InvalidInputError('ids', ids, 'Give an array of job ids.');
  for (const [index, id] of (ids as readonly unknown[]).entries()) checkJobId(id, `ids[${index}]`);
  const outcomes = new Map<string, Outcome>();
  const failed: { id: string; error: Error }[] = [];
  await mapLimited([...new Set(ids)], PARALLEL, async (id) => {
    try {
      outcomes.set(id, await one(id));
    } catch (error) {
      failed.push({ id, error: error instanceof Error ? error : new Error(String(error)) });
    }
  });
  return { outcomes, failed };
}

/** Refuses a number of tries that would bury the job unseen, or that is none. */
export function checkTries(tries: unknown, field: string): number {
  if (Number.isInteger(tries) && Number(tries) >= 1 && Number(tries) <= MAX_TRIES) return Number(tries);
  throw new InvalidInputError(field, tries, `Use a whole number from 1 to ${MAX_TRIES}; to end a job use cancel.`);
}

function terms({ deployment, entropy }: AdminDeps, now: number) {
  const { redispatchAfterMs, delayHorizonMs } = deployment.settings;
  return { token: entropy.token(), now, redispatchAfterMs, delayHorizonMs };
}
