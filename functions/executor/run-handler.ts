import type { Outcome } from '../../shared/core/decide.ts';
import { defined } from '../../shared/core/defined.ts';
import {
  InvalidVerdictError,
  JobCancelledError,
  JobTimedOutError,
  kindOf,
  LeaseLostError,
  NonRetryableError,
} from '../../shared/core/errors.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { CompleteOptions, HandledJob, JobContext } from '../../shared/core/job-type.ts';
import { jobInfo } from '../../shared/core/job-info.ts';
import { decodePayload } from '../../shared/core/payload.ts';
import { type ValidPayload, validatePayload } from '../../shared/core/validate.ts';
import { readVerdict } from '../../shared/core/verdict.ts';
import type { CompletionExtras } from '../../shared/store/complete.ts';
import { withinJob } from '../../shared/ports/job-scope.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { idKey } from '../../shared/store/rows.ts';
import { LongRun, verdictOrYield } from './long-run.ts';
import type { ExecutorDeps } from './deps.ts';
import { scopeOf } from './scope-of.ts';
import { completionExtras } from './completion-extras.ts';

/** How an attempt ended. `unsettled`: the handler was aborted and still runs, so its process must not be used again. */
export interface Attempt {
  readonly outcome: Outcome;
  readonly unsettled: boolean;
  /** The job as its row is after the run: progress is written while it lasts. */
  readonly job?: LeasedJob;
  /** What a completion brings along: built while the handler's job was the present one, so that follow-ups inherit from it. */
  readonly extras?: CompletionExtras;
}

/** What ends a run from outside: its time limit, and an interruption, whose reason the handler's signal gets. */
export interface RunLimit {
  readonly limitMs: number;
  readonly interrupt?: AbortSignal;
}

/**
 * Runs the handler of a claimed job for at most `limitMs`, then aborts its signal and gives it a moment to settle. Never
 * rejects: whatever the handler, the middleware or the payload does is an outcome. An interrupted handler that does not finish in
 * that moment had no time: it counts against nothing.
 */
export async function runHandler(
  deps: ExecutorDeps,
  handled: HandledJob,
  job: LeasedJob,
  { limitMs, interrupt }: RunLimit,
): Promise<Attempt> {
  const { clock, deployment } = deps;
  const abort = new AbortController();
  const over = new AbortController();
  const run = new LongRun(deps, job, { limitMs, signal: abort.signal });
  const settled = callHandler(deps, handled, job, { signal: abort.signal, ...run.context }).catch((error: unknown): Ending => ({
    outcome: { kind: 'threw', error },
  }));
  const limit = clock
    .wait(limitMs, interrupt === undefined ? over.signal : AbortSignal.any([over.signal, interrupt]))
    .then(() => 'limit' as const);
  const watch = watchForCancel(deps, job, abort, over.signal);
  let ended: Ending | 'limit' = await Promise.race([settled, limit]);
  let unsettled = false;
  let cutBy: unknown;
  if (ended === 'limit') {
    cutBy = interrupt?.aborted ? interrupt.reason : new JobTimedOutError(limitMs);
    abort.abort(cutBy);
    const grace = clock.wait(deployment.settings.abortGraceMs, over.signal).then(() => 'limit' as const);
    ended = await Promise.race([settled, grace]);
    unsettled = ended === 'limit';
  }
  // Without a reason an error is made, stack and all.
  over.abort('the attempt has ended');
  await watch;
  const cutShort: Outcome = interrupt?.aborted ? { kind: 'no-time' } : { kind: 'threw', error: cutBy };
  if (ended === 'limit') return { outcome: cutShort, unsettled, job: await run.end(false) };
  // A handler that throws because its signal fired was cut short, whatever its error says; one that finished in the grace finished.
  const wasCut = cutBy !== undefined && abort.signal.reason === cutBy;
  const outcome = wasCut && ended.outcome.kind === 'threw' ? cutShort : ended.outcome;
  const completes = outcome.kind === 'verdict' && outcome.verdict.verdict === 'complete';
  return { ...ended, outcome, unsettled, job: await run.end(completes) };
}

type Ending = Omit<Attempt, 'unsettled' | 'job'>;

async function callHandler(
  deps: ExecutorDeps,
  handled: HandledJob,
  job: LeasedJob,
  run: Pick<JobContext, 'signal' | 'yieldIfNeeded' | 'progress'>,
): Promise<Ending> {
  const { output: payload } = await readPayload(handled, job);
  const info = jobInfo(job);
  const state = job.state === undefined ? undefined : decodePayload(job.state);
  const context: JobContext = { payload, state, job: info, log: deps.log(jobRef(job)), ...run };
  const handler = (): Promise<unknown> => verdictOrYield(async () => (handled.handler as (context: JobContext) => unknown)(context));
  const wrapped = deps.around.reduceRight<() => Promise<unknown>>((next, around) => async () => around(info, next), handler);
  return withinJob(scopeOf(job), async () => {
    const returned = await wrapped();
    const verdict = readVerdict(returned);
    if (verdict === undefined) {
      warnOfReturn(handled, returned, context.log);
      return { outcome: { kind: 'verdict', verdict: { verdict: 'complete' } } };
    }
    const extras = verdict.verdict === 'complete' && verdict.options ? await extrasOf(deps, verdict.options) : undefined;
    return { outcome: { kind: 'verdict', verdict }, ...defined({ extras }) };
  });
}

/** A completion that cannot be built must not repeat what its handler did: the job ends as a dead letter. */
async function extrasOf(deps: ExecutorDeps, options: CompleteOptions): Promise<CompletionExtras> {
  return completionExtras(deps, options).catch((cause: unknown) => {
    throw new InvalidVerdictError(cause);
  });
}

/** Handlers whose return value was warned of: once in a process for each of its handlers. */
const warned = new WeakSet<HandledJob>();

function warnOfReturn(handled: HandledJob, returned: unknown, log: JobContext['log']): void {
  if (warned.has(handled)) return;
  warned.add(handled);
  log.warn(
    `The handler of job type ${handled.type.name} returned ${kindOf(returned).text}. It is ignored and the job is complete. ` +
      'Return nothing, complete(), snooze(delay), continueWith(state) or fail(reason).',
  );
}

/** The payload as its schema gives it out. The stored one does not change between tries, so one that is refused is a NonRetryableError. */
export async function readPayload(handled: HandledJob, job: LeasedJob): Promise<ValidPayload<unknown>> {
  try {
    return await validatePayload(handled.type.schema, job.type, decodePayload(job.payload));
  } catch (cause) {
    throw new NonRetryableError(cause instanceof Error ? cause.message : 'The payload is not valid.', { cause });
  }
}

const textOf = (value: Row[string] | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** The store did not answer: nothing is known, so nothing is aborted. */
const UNKNOWN: Row = {};

/** Looks at the row every few seconds, only for handlers that run that long: a cancel request or a lost lease aborts them. */
async function watchForCancel(deps: ExecutorDeps, job: LeasedJob, abort: AbortController, over: AbortSignal): Promise<void> {
  let ended: Promise<Row> | undefined;
  for (;;) {
    await deps.clock.wait(deps.deployment.settings.cancelPollMs, over);
    if (over.aborted || abort.signal.aborted) return;
    ended ??= new Promise<Row>((resolve) => over.addEventListener('abort', () => resolve(UNKNOWN), { once: true }));
    // A look that hangs must not hold up the recording: what it would say is of no interest any more.
    const row = await Promise.race([deps.tables.get('jobs', idKey(job.id)).catch(() => UNKNOWN), ended]);
    if (row === UNKNOWN) continue;
    if (row?.['lockOwner'] !== job.lockOwner) return abort.abort(new LeaseLostError());
    if (row['cancelRequested'] === true) {
      return abort.abort(new JobCancelledError({ reason: textOf(row['cancelReason']), by: textOf(row['cancelledBy']) }));
    }
  }
}
