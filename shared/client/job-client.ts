import { pick } from '../job/defined.ts';
import { jobRef } from '../ports/journal.ts';
import type { Duration } from '../job/duration.ts';
import type { EnqueueOptions } from '../job/enqueue-options.ts';
import { Described, InvalidInputError, NightcrewError } from '../job/errors.ts';
import type { JobHistory } from '../features/history/model/history-entry.ts';
import { dueTime, type Instant } from '../job/instant.ts';
import { type Belongings, belongingsOf, type FinishedOutcome, type JobState } from '../job/job.ts';
import { checkJobId, makeJobId } from '../job/job-id.ts';
import type { JobType } from '../job/job-type.ts';
import { checkOptions } from '../job/names.ts';
import { decodePayload } from '../job/payload.ts';
import type { Write } from '../ports/tables.ts';
import { whyOf } from '../store/cancel-why.ts';
import { creationWrites } from '../store/create.ts';
import type { Located } from '../store/locate.ts';
import { reschedule, type Rescheduled } from '../store/reschedule.ts';
import { sendHints } from '../store/send-hints.ts';
import { type CancelAnswer, cancelJob, type CancelOptions } from './cancel-job.ts';
import { cancelByKey, type CancelByKeyOptions, type CancelledByKey } from './cancel-by-key.ts';
import { type BatchVerbs, batchVerbs } from '../features/batches/client/batches.ts';
import { checkArguments, checkNoConflict } from './draft.ts';
import { buildJobNow, dispatch, type Enqueued, enqueue } from './enqueue.ts';
import { enqueueMany, type EnqueueManyOptions, type EnqueueManyReport } from './enqueue-many.ts';
import { backlogGuard } from '../features/backlogs/client/backlog-guard.ts';
import { jobHistory } from '../features/history/client/job-history.ts';
import type { ClientDeps, DraftDeps } from './client-deps.ts';
import { type JobResult, type WaitOptions, waitForResult } from './wait-for-result.ts';
import { checkTenant, tenantView } from './tenant-view.ts';

/** Write items for the caller's own transaction. `dispatch` after it committed; without it the sweeper finds the job minutes later. */
export interface Prepared<Item> {
  readonly id: string;
  /**
   * One item; one more for a unique key or a place in the order of a group, two more in the batch of the handler's job, and five checks for an own id. Put them
   * into one TransactWriteItems request.
   */
  readonly items: Item[];
  dispatch(): Promise<void>;
}

/** A job as the client shows it. */
export interface JobSnapshot extends Belongings {
  readonly id: string;
  readonly type: string;
  readonly state: JobState;
  readonly dueAt: Date;
  readonly createdAt: Date;
  readonly attempts: number;
  readonly failures: number;
  /** Absent for one that `codec` encoded, and for finished jobs, unless History keeps their payloads (level `full`). */
  readonly payload?: unknown;
  readonly codec?: string;
  readonly priority: number;
  readonly cancelRequested: boolean;
  readonly cancelReason?: string;
  readonly cancelledBy?: string;
  readonly error?: { readonly name: string; readonly message: string; readonly at: Date };
  /** The batch that counts it. */
  readonly batch?: string;
  /** The progress last reported by its handler. */
  readonly progress?: { readonly percent: number; readonly text?: string };
  /** For a finished job. */
  readonly outcome?: FinishedOutcome;
  /** For a dead letter. */
  readonly reason?: string;
}

/** Enqueues jobs and manages them by id. `Item` is the item type of `prepare`: TransactWriteItem of the AWS SDK. */
export interface JobClient<Item = unknown> extends BatchVerbs {
  /**
   * One put, or a transaction for a key, an own id, a batch or a place in a group; then a message if the job is due soon. Resolves when the job
   * is stored: from then on it is never lost, even if the message is. After a StoreUnavailableError the job may or may not be stored. To repeat
   * the call without a duplicate, pass your own `id`, in the first call too.
   */
  enqueue<Input, Output>(type: JobType<Input, Output>, payload: NoInfer<Input>, options?: EnqueueOptions): Promise<Enqueued>;
  /** Any number of jobs in batches; one that is not accepted is reported and does not stop the others. */
  enqueueMany<Input, Output>(
    type: JobType<Input, Output>,
    payloads: readonly NoInfer<Input>[],
    options?: EnqueueManyOptions<NoInfer<Input>>,
  ): Promise<EnqueueManyReport>;
  /** Everything of `enqueue` but the write: the caller commits the items, then dispatches. Nothing is written here. */
  prepare<Input, Output>(type: JobType<Input, Output>, payload: NoInfer<Input>, options?: EnqueueOptions): Prepared<Item>;
  /** The job in any state; undefined if it never existed, or finished longer ago than History keeps. */
  get(id: string): Promise<JobSnapshot | undefined>;
  /**
   * Ends a job that does not run; asks a running one to stop, whose handler's signal fires within seconds. The outcome says which;
   * with `wait` it says whether the cancel or the completion won, once that is known.
   */
  cancel(id: string, options?: CancelOptions): Promise<CancelAnswer>;
  /** The same for the job that holds a unique key. */
  cancelByKey<Input, Output>(type: JobType<Input, Output>, key: string, options?: CancelByKeyOptions): Promise<CancelledByKey>;
  /** Changes the due time of a job that is waiting, parked or ready. Otherwise the outcome is the reason; `occurrence`: its schedule determines the time. */
  reschedule(id: string, when: { readonly runAt?: Instant; readonly delay?: Duration }): Promise<Rescheduled['outcome']>;
  /** How the job ended and, at the history levels that keep them, every attempt; empty if nothing is kept of the job. */
  history(id: string): Promise<JobHistory>;
  /**
   * Waits until a job has ended, and returns the result of its handler's `complete({ result })`. For waits of seconds: it polls
   * with two reads each time while the job is ready or running, up to eight in other states, and up to 15 if it is nowhere. The outcome
   * distinguishes a job without a result, a dead letter, a cancelled job and a timeout.
   */
  waitForResult<Result = unknown>(id: string, options?: WaitOptions): Promise<JobResult<Result>>;
  /** A fresh id that contains the due time, to store with your own data before you enqueue with it. */
  newId(when?: { readonly runAt?: Instant; readonly delay?: Duration }): string;
  /**
   * This client for one tenant: every job that it makes is the tenant's, an enqueue for another is refused, and jobs of others are not
   * there for it. Cancel and reschedule cost one more read.
   */
  forTenant(tenant: string): JobClient<Item>;
}

/** The client over its dependencies; `toItems` turns writes into the items of the caller's transactions. */
export function createClient<Item>(deps: DraftDeps & Partial<ClientDeps>, toItems: (writes: readonly Write[]) => Item[]): JobClient<Item> {
  return clientOf({ backlogs: backlogGuard(deps), ...deps }, toItems);
}

function clientOf<Item>(deps: ClientDeps, toItems: (writes: readonly Write[]) => Item[]): JobClient<Item> {
  const view = tenantView(deps);
  return {
    forTenant: (tenant) => clientOf({ ...deps, tenant: checkTenant(tenant, deps.tenant) }, toItems),
    enqueue: async (type, payload, options = {}) =>
      traced(deps, [type, 1], async () => enqueue(deps, type, payload, options)).finally(() => deps.journal.flush()),
    enqueueMany: async (type, payloads, options = {}) =>
      traced(deps, [type, payloads?.length], async () => enqueueMany(deps, type, payloads, options)).finally(() => deps.journal.flush()),
    prepare(type, payload, options = {}) {
      checkArguments(type, options);
      const fresh = checkNoConflict(buildJobNow(deps, type, payload, options), 'in prepare, which writes nothing itself');
      return {
        id: fresh.job.id,
        items: toItems(creationWrites(fresh, deps.clock.now())),
        async dispatch() {
          deps.journal.record({ event: 'enqueued', worker: fresh.job.worker, job: jobRef(fresh.job) });
          await dispatch(deps, [fresh]);
          deps.journal.flush();
        },
      };
    },
    ...batchVerbs(deps),
    waitForResult: async (id, options = {}) => waitForResult(deps, (job) => view.find(job), checkJobId(id), options),
    async get(id) {
      const found = await view.find(checkJobId(id));
      return found && snapshot(found);
    },
    async cancel(id, options) {
      if (!(await view.owns(checkJobId(id)))) return 'not-found';
      return cancelJob(deps, id, options).finally(() => deps.journal.flush());
    },
    cancelByKey: async (type, key, options) => cancelByKey(deps, type, key, options).finally(() => deps.journal.flush()),
    async reschedule(id, when) {
      checkOptions(when, ['runAt', 'delay'], 'when');
      if (when.runAt === undefined && when.delay === undefined) {
        throw new InvalidInputError('when', new Described('{}'), 'Give runAt or delay.');
      }
      if (!(await view.owns(checkJobId(id)))) return 'not-found';
      const now = deps.clock.now();
      const { settings } = deps.deployment;
      const terms = {
        token: deps.entropy.token(),
        now,
        redispatchAfterMs: settings.redispatchAfterMs,
        delayHorizonMs: settings.delayHorizonMs,
      };
      const result = await reschedule(deps.tables, checkJobId(id), dueTime(when, now), terms);
      if (result.outcome === 'rescheduled')
        deps.journal.record({ event: 'rescheduled', worker: result.job.worker, job: jobRef(result.job) });
      if (result.outcome === 'rescheduled' && result.ready) await sendHints(deps, [result.ready], now);
      deps.journal.flush();
      return result.outcome;
    },
    history: async (id) => jobHistory(deps, id),
    newId(when = {}) {
      checkOptions(when, ['runAt', 'delay'], 'when');
      return makeJobId(dueTime(when, deps.clock.now()), deps.entropy.bytes(10));
    },
  };
}

/** Arguments that are no type and no array are refused by the verb itself. */
async function traced<Result>(
  { tracing }: ClientDeps,
  [type, count]: readonly [type: { readonly name: string } | undefined, count: number | undefined],
  work: () => Promise<Result>,
): Promise<Result> {
  return tracing === undefined || typeof type?.name !== 'string' ? work() : tracing.send(type.name, count ?? 0, work);
}

function snapshot(found: Located): JobSnapshot {
  const { job, state } = found;
  return {
    id: job.id,
    type: job.type,
    state,
    dueAt: new Date(job.dueAt),
    createdAt: new Date(job.createdAt),
    attempts: job.starts,
    failures: job.failures,
    priority: job.priority,
    cancelRequested: job.cancelRequested === true,
    ...whyOf(job),
    ...payloadOf(job),
    ...belongingsOf(job),
    ...pick(job, 'batch'),
    ...(job.progress === undefined ? {} : { progress: progressOf(job.progress, job.progressText) }),
    ...(job.error === undefined ? {} : { error: { name: job.error.name, message: job.error.message, at: new Date(job.error.at) } }),
    ...(found.state === 'finished' ? { outcome: found.job.outcome } : {}),
    ...(found.state === 'dead' ? { reason: found.job.reason } : {}),
  };
}

const progressOf = (percent: number, text: string | undefined): { readonly percent: number; readonly text?: string } =>
  text === undefined ? { percent } : { percent, text };

function payloadOf({ payload, codec }: { readonly payload?: string; readonly codec?: string }): Pick<JobSnapshot, 'payload' | 'codec'> {
  if (codec !== undefined) return { codec };
  return payload === undefined ? {} : { payload: readable(payload) };
}

/** An unreadable payload is shown as text, so that the reader can see what is wrong with it. */
function readable(payload: string): unknown {
  try {
    return decodePayload(payload);
  } catch (error) {
    if (error instanceof NightcrewError) return payload;
    throw error;
  }
}
