import type { Outcome } from '../../shared/job/decide.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidVerdictError, JobCancelledError, JobTimedOutError, kindOf, LeaseLostError } from '../../shared/job/errors.ts';
import { jobInfo } from '../../shared/job/job-info.ts';
import type { CompleteOptions, HandledJob, JobContext } from '../../shared/job/job-type.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { liftStored, codecFailed, decodeText, unreadablePayload } from '../../shared/job/payload-codec.ts';
import { decodePayload } from '../../shared/job/payload.ts';
import { type ValidPayload, validatePayload } from '../../shared/job/validate.ts';
import { failedByStore } from '../../shared/job/store-failures.ts';
import { readVerdict } from '../../shared/job/verdict.ts';
import { scopeOf, withinJob } from '../../shared/ports/job-scope.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { idKey } from '../../shared/store/rows.ts';
import { askOnError } from './decide-attempt.ts';
import type { ExecutorDeps } from './deps.ts';
import { note } from './held-job.ts';
import type { ExecutorInvocation } from './invocation.ts';
import type { Delivery } from './receive.ts';
import type { Attempt } from './attempt-record.ts';
import { completionExtras } from './completion-extras.ts';
import { LongRun, verdictOrYield } from './long-run.ts';

/** An admitted job. If `start` is false, the handler is not called: its attempt ends for lack of time. */
export interface Starting {
  readonly deps: ExecutorDeps;
  readonly handled: HandledJob;
  readonly job: LeasedJob;
  readonly startedAt: number;
  readonly start: boolean;
}

/** An attempt, and the job with its current lease. `lost`: another process holds the lease, so nothing must be recorded. */
export interface Run {
  readonly attempt: Attempt;
  readonly held: LeasedJob;
  readonly lost: boolean;
}

/**
 * Runs the handler. If no deadline ends the run, renews what the job holds until it ends. Rejects if the store failed while the completion was built: the job
 * goes back to its queue, as after a completion that the store did not take.
 */
export async function run(
  invocation: ExecutorInvocation,
  delivery: Delivery,
  { deps, handled, job, startedAt, start }: Starting,
): Promise<Run> {
  const kept = start ? invocation.leaseKeeper?.keep(delivery, job) : undefined;
  const interrupt = kept?.interrupt;
  // Claiming took so long that the lease, or the lock of its group, is nearly over.
  const starts = start && interrupt?.aborted !== true;
  if (!starts) await kept?.end(false);
  if (!starts) return { attempt: { outcome: { kind: 'no-time' }, unsettled: false }, held: job, lost: false };
  note(deps, job, 'started', { queueDelayMs: Math.max(0, startedAt - job.dueAt) });
  const { timeoutMs = Number.POSITIVE_INFINITY } = handled.type;
  const limitMs = Math.min(timeoutMs, invocation.budget.abortAt - startedAt);
  const ended = await runHandler(deps, handled, job, { limitMs, ...defined({ interrupt }) });
  // Before any other await, during which the process may have to end.
  if (ended.unsettled) endAfter(invocation, delivery, job);
  const { job: held, lost } = (await kept?.end(ended.unsettled)) ?? { job, lost: false };
  if (!lost && ended.storeError !== undefined) throw ended.storeError;
  return { attempt: await askOnError(deps, job, ended), held, lost };
}

/** The handler still runs: the process ends after this invocation, and its group lock and other holds are left to expire, because its job may go on. */
function endAfter(invocation: ExecutorInvocation, { hint }: Delivery, job: LeasedJob): void {
  invocation.endProcess();
  invocation.holds.delete(job.lockOwner);
  if (hint.g !== undefined) invocation.keepLock(hint.g);
}

/** What can end a run from outside: its time limit, and an interruption, whose reason is passed to the handler's signal. */
interface RunLimit {
  readonly limitMs: number;
  readonly interrupt?: AbortSignal;
}

/**
 * Runs the handler of a claimed job for at most `limitMs`, then aborts its signal and gives it a moment to settle. Never
 * rejects: any error of the handler, the middleware or the payload becomes an outcome. An interrupted handler that does not finish in
 * that moment counts as `no-time`, which counts against nothing.
 */
async function runHandler(
  deps: ExecutorDeps,
  handled: HandledJob,
  job: LeasedJob,
  { limitMs, interrupt }: RunLimit,
): Promise<Attempt & HandlerResult> {
  const { clock, deployment } = deps;
  const abort = new AbortController();
  const finished = new AbortController();
  const run = new LongRun(deps, job, { limitMs, signal: abort.signal });
  const settled = callHandler(deps, handled, job, { signal: abort.signal, ...run.context }).catch((error: unknown): HandlerResult => ({
    outcome: { kind: 'threw', error },
  }));
  const limit = clock
    .wait(limitMs, interrupt === undefined ? finished.signal : AbortSignal.any([finished.signal, interrupt]))
    .then(() => 'limit' as const);
  const watch = watchForCancel(deps, job, abort, finished.signal);
  let ended: HandlerResult | 'limit' = await Promise.race([settled, limit]);
  let unsettled = false;
  let cutBy: unknown;
  if (ended === 'limit') {
    cutBy = interrupt?.aborted ? interrupt.reason : new JobTimedOutError(limitMs);
    abort.abort(cutBy);
    const grace = clock.wait(deployment.settings.abortGraceMs, finished.signal).then(() => 'limit' as const);
    ended = await Promise.race([settled, grace]);
    unsettled = ended === 'limit';
  }
  // Without a reason, `abort` would create an error with a stack.
  finished.abort('the attempt has ended');
  await watch;
  const cutShort: Outcome = interrupt?.aborted ? { kind: 'no-time' } : { kind: 'threw', error: cutBy };
  if (ended === 'limit') return { outcome: cutShort, unsettled, job: await run.end(false) };
  // A handler that throws after its signal fired was cut short, whatever the error. One that returned during the grace period finished.
  const wasCut = cutBy !== undefined && abort.signal.reason === cutBy;
  const outcome = wasCut && ended.outcome.kind === 'threw' ? cutShort : ended.outcome;
  const completes = outcome.kind === 'verdict' && outcome.verdict.verdict === 'complete';
  return { ...ended, outcome, unsettled, job: await run.end(completes) };
}

type HandlerResult = Omit<Attempt, 'unsettled' | 'job'> & {
  /** Why the store could not be read for the completion. */
  readonly storeError?: unknown;
};

async function callHandler(
  deps: ExecutorDeps,
  handled: HandledJob,
  job: LeasedJob,
  run: Pick<JobContext, 'signal' | 'yieldIfNeeded' | 'progress'>,
): Promise<HandlerResult> {
  const { output: payload } = await readPayload(handled, job);
  const info = jobInfo(job);
  const state = job.state === undefined ? undefined : decodePayload(await decodeText(handled.type, job, job.state));
  const context: JobContext = { payload, state, job: info, log: deps.log(jobRef(job)), ...run };
  const handler = (): Promise<unknown> => verdictOrYield(async () => (handled.handler as (context: JobContext) => unknown)(context));
  const wrapped = deps.around.reduceRight<() => Promise<unknown>>((next, around) => async () => around(info, next), handler);
  const { traceparent, tracestate, ...scope } = scopeOf(job);
  // What a client without tracing enqueues belongs to this attempt as well. A tracestate goes with its own traceparent only.
  const trace = deps.tracing?.current() ?? defined({ traceparent, tracestate });
  return withinJob({ ...scope, ...trace }, async () => {
    const returned = await wrapped();
    const verdict = readVerdict(returned);
    if (verdict === undefined) {
      warnOfReturn(handled, returned, context.log);
      return { outcome: { kind: 'verdict', verdict: { verdict: 'complete' } } };
    }
    const built = verdict.verdict === 'complete' && verdict.options ? await extrasOf(deps, verdict.options) : {};
    return { outcome: { kind: 'verdict', verdict }, ...built };
  });
}

/** A completion that cannot be built must not repeat what its handler did: the job ends as a dead letter. */
async function extrasOf(deps: ExecutorDeps, options: CompleteOptions): Promise<Pick<HandlerResult, 'extras' | 'storeError'>> {
  try {
    return { extras: await completionExtras(deps, options) };
  } catch (cause) {
    if (failedByStore(cause)) return { storeError: cause };
    // A key service that does not answer now does later: the handler runs again, by the retry policy.
    throw codecFailed(cause) ? cause : new InvalidVerdictError(cause);
  }
}

/** Handlers whose return value was already warned about: once per handler and process. */
const warned = new WeakSet<HandledJob>();

function warnOfReturn(handled: HandledJob, returned: unknown, log: JobContext['log']): void {
  if (warned.has(handled)) return;
  warned.add(handled);
  log.warn(
    `The handler of job type ${handled.type.name} returned ${kindOf(returned).text}. It is ignored and the job is complete. ` +
      'Return nothing, complete(), snooze(delay), continueWith(state) or fail(reason).',
  );
}

/**
 * Decodes the payload, lifts it to the version of the code and validates it. A stored payload does not change between tries, so a refused
 * one is a NonRetryableError. A codec that fails is a PayloadCodecError, which the policy retries.
 */
export async function readPayload({ type }: HandledJob, job: LeasedJob): Promise<ValidPayload<unknown>> {
  try {
    return await validatePayload(type.schema, job.type, await liftStored(type, job));
  } catch (cause) {
    throw unreadablePayload(type, job, cause);
  }
}

const textOf = (value: Row[string] | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** The store did not answer, so nothing is aborted. */
const UNKNOWN: Row = {};

/** Reads the row every few seconds while the handler runs; aborts it on a cancel request or a lost lease. */
async function watchForCancel(deps: ExecutorDeps, job: LeasedJob, abort: AbortController, finished: AbortSignal): Promise<void> {
  let ended: Promise<Row> | undefined;
  for (;;) {
    await deps.clock.wait(deps.deployment.settings.cancelPollMs, finished);
    if (finished.aborted || abort.signal.aborted) return;
    ended ??= new Promise<Row>((resolve) => finished.addEventListener('abort', () => resolve(UNKNOWN), { once: true }));
    // A read that hangs must not delay the recording; its result no longer matters.
    const row = await Promise.race([deps.tables.get('jobs', idKey(job.id)).catch(() => UNKNOWN), ended]);
    if (row === UNKNOWN) continue;
    if (row?.['lockOwner'] !== job.lockOwner) return abort.abort(new LeaseLostError());
    if (row['cancelRequested'] === true) {
      return abort.abort(new JobCancelledError({ reason: textOf(row['cancelReason']), by: textOf(row['cancelledBy']) }));
    }
  }
}
