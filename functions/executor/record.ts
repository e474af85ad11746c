import type { LeasedJob, Scalar, FinishedJob } from '../../shared/job/job.ts';
import type { AnyJobType, HandledJob } from '../../shared/job/job-type.ts';
import { liftedFields } from '../../shared/job/upcast.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import type { AttemptEnd, AttemptOutcome } from '../../shared/job/attempt.ts';
import type { Decision } from '../../shared/job/decide.ts';
import { defined } from '../../shared/job/defined.ts';
import {
  InvalidInputError,
  InvalidVerdictError,
  ItemsRefusedError,
  NonRetryableError,
  PayloadTooLargeError,
  StoreRefusedError,
  StoreUnavailableError,
} from '../../shared/job/errors.ts';
import { TOKEN_TRUSTED_MS } from '../../shared/job/lease.ts';
import type { HistoryLevel } from '../../shared/job/history-level.ts';
import { withError } from '../../shared/job/last-errors.ts';
import type { Burial } from '../../shared/store/bury.ts';
import { buryInErrorGroup } from '../../shared/store/burials.ts';
import type { CancelWhy } from '../../shared/store/cancel-why.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { complete, NO_EXTRAS, noTries, type Tries } from '../../shared/store/complete.ts';
import type { NewJob } from '../../shared/store/create.ts';
import { fitError } from '../../shared/store/fit-error.ts';
import { runAgainLater } from '../../shared/store/run-again-later.ts';
import { type RunAgain, runAgain } from '../../shared/store/run-again.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import type { CancelAsked, Lost } from '../../shared/store/transact-while-leased.ts';
import { attemptEnd, attemptRecord, historyLevel, type EndedAttempt } from './attempt-record.ts';
import { decideAttempt } from './decide-attempt.ts';
import type { ExecutorDeps } from './deps.ts';
import { jobEnded, note } from './held-job.ts';

interface Recording {
  readonly handled: HandledJob;
  readonly ended: EndedAttempt;
  readonly decision: Decision;
  readonly tries: Tries;
}

/** A recorded attempt: how it ended, and the disposition of its message. `requeue` makes it visible at once. */
export interface Recorded {
  readonly end: AttemptEnd;
  readonly disposition: 'acknowledge' | 'requeue';
  readonly finished?: FinishedJob;
}

const RECORD_TRIES = 3;

/** Decides about an attempt and records the decision. */
export function decideAndRecord(deps: ExecutorDeps, handled: HandledJob, ended: EndedAttempt): Promise<Recorded> {
  return record(deps, handled, ended, decideAttempt(deps, handled, ended));
}

/** Records a decision with one fenced write. Retries a few times if the store does not answer, then throws StoreUnavailableError. */
export async function record(deps: ExecutorDeps, handled: HandledJob, ended: EndedAttempt, decision: Decision): Promise<Recorded> {
  if (decision.verb === 'retry' || decision.verb === 'bury') note(deps, ended.job, 'failed', { error: decision.error });
  for (const tries = noTries(); ; tries.earlier++) {
    try {
      return await settled(deps, handled, ended, await apply(deps, { handled, ended, decision, tries }));
    } catch (error) {
      // A later try would be too late, or would not be recognized by its token.
      const left = Math.min(deps.answerBy ?? Number.POSITIVE_INFINITY, ended.endedAt + TOKEN_TRUSTED_MS) - deps.clock.now();
      if (!(error instanceof StoreUnavailableError) || tries.earlier + 1 >= RECORD_TRIES || left <= 0) throw error;
      await deps.clock.wait(Math.min(Math.floor(deps.entropy.random() * 400 * 2 ** tries.earlier), left));
    }
  }
}

/** What a codec keeps outside the row of a job that has ended is given up, unless its history refers to it. What cannot be is left to the cleaner. */
async function settled(deps: ExecutorDeps, handled: HandledJob, { job }: EndedAttempt, recorded: Recorded): Promise<Recorded> {
  const { outcome } = recorded.end;
  const discard = job.codec === undefined ? undefined : handled.type.codecs?.get(job.codec)?.discard;
  const isKept = outcome === 'completed' && historyLevel(deps, handled) === 'full';
  if (discard !== undefined && (outcome === 'completed' || outcome === 'cancelled') && !isKept) {
    await discard(job.payload).catch((error: unknown) =>
      deps.log(jobRef(job)).warn('Its payload is left in the payload store.', { error }),
    );
  }
  return recorded;
}

async function apply(deps: ExecutorDeps, to: Recording): Promise<Recorded> {
  const { ended, decision, tries } = to;
  const { job } = ended;
  // An earlier try found a cancel request, and may have ended the run as cancelled although its reply was lost.
  if (tries.cancel !== undefined && decision.verb !== 'complete') return endCancelled(deps, to, tries.cancel);
  switch (decision.verb) {
    case 'complete':
      return finish(deps, to);
    case 'give-back': {
      // A handler that may still run keeps its job from starting elsewhere until its lease ends.
      const dueAt = ended.unsettled ? job.lockExpiresAt : job.dueAt;
      return runAgainAt(deps, to, 'given-back', { dueAt });
    }
    case 'continue':
      return continueRun(deps, to, decision.state);
    case 'snooze':
      return runAgainAt(deps, to, 'snoozed', { dueAt: decision.dueAt, counts: 'snoozes' });
    case 'retry': {
      const { counted, dueAt, error } = decision;
      const set = { lastErrors: withError(job, error), ...defined({ triesLimit: ended.triesLimit }) };
      const change = { dueAt, error: fitError({ ...job, ...set }, error), set, ...(counted ? { counts: 'failures' as const } : {}) };
      return runAgainAt(deps, to, 'retried', change);
    }
    case 'bury': {
      const counters = { failures: job.failures + 1 };
      const buried = await buryInErrorGroup(deps, job, {
        reason: decision.reason,
        error: decision.error,
        counters,
        requestId: ended.requestId,
        ...durableBurial(deps, to),
        by: 'owner',
      });
      if (buried.result === 'edited') return decideAgain(deps, to, buried.job);
      if (buried.result !== 'dead') return afterRefusal(deps, to, buried);
      jobEnded(deps, job, 'dead-lettered', { error: decision.error, reason: decision.reason });
      return done(to, 'dead-lettered');
    }
  }
}

/** An operator changed the job's tries while it ran: they count from this failure on. */
async function decideAgain(deps: ExecutorDeps, to: Recording, job: LeasedJob): Promise<Recorded> {
  const ended = { ...to.ended, job };
  return apply(deps, { ...to, ended, decision: decideAttempt(deps, to.handled, ended) });
}

async function finish(deps: ExecutorDeps, to: Recording): Promise<Recorded> {
  const { handled, ended, tries } = to;
  const { job, startedAt, endedAt: now, token, extras = NO_EXTRAS } = ended;
  const { historyDays: days } = deps.deployment.settings;
  const level = historyLevel(deps, handled);
  const finished = (): FinishedJob => finishedJob(job, level, startedAt, now);
  const durable =
    level === 'durable' ? { history: { finished: finished(), attempt: attemptRecord(deps, ended, { outcome: 'completed' }), days } } : {};
  const cancelling = extras.cancels === undefined ? {} : { cancelTerms: { ...cancelTerms(deps), now } };
  const completion = { now: () => deps.clock.now(), endedAt: now, tries, extras, token, ...durable, ...cancelling };
  const result = await complete(deps.tables, job, completion).catch((error: unknown) => {
    // A write of the row alone is never invalid, but the handler's own writes may be, or name a missing table.
    if (!(error instanceof StoreRefusedError) || extras === NO_EXTRAS) throw error;
    if (!error.invalid && extras.items.length === 0) throw error;
    return { result: 'items-refused', error: new InvalidVerdictError(error) } as const;
  });
  if (result.result === 'items-refused') {
    const error = 'error' in result ? result.error : new ItemsRefusedError();
    return decideAndRecord(deps, handled, { ...ended, extras: NO_EXTRAS, outcome: { kind: 'threw', error } });
  }
  if (result.result !== 'finished') return afterRefusal(deps, to, result);
  jobEnded(deps, job, result.cancelled ? 'cancelled' : 'completed', { runMs: now - startedAt });
  for (const other of result.cancelledWith ?? []) {
    if (other.outcome === 'cancelled') jobEnded(deps, other.job, 'cancelled', { reason: 'completion' });
  }
  await sendFollowUps(deps, result.followUps);
  const recorded = done(to, result.cancelled ? 'cancelled' : 'completed');
  if (result.cancelled) return deps.deployment.history === 'off' ? recorded : { ...recorded, finished: cancelledJob(ended, result.why) };
  return level === 'off' || level === 'durable' ? recorded : { ...recorded, finished: finished() };
}

async function sendFollowUps(deps: ExecutorDeps, created: readonly NewJob[]): Promise<void> {
  for (const { job } of created) deps.journal.record({ event: 'enqueued', worker: job.worker, job: jobRef(job) });
  const ready = created.filter((one) => one.ready).map(({ job }) => job as LeasedJob);
  await sendHints(deps, ready, deps.clock.now());
}

/** At level `durable` the last attempt of a dead letter is written with it. */
function durableBurial(deps: ExecutorDeps, { handled, ended, decision }: Recording): Pick<Burial, 'history'> {
  if (decision.verb !== 'bury' || historyLevel(deps, handled) !== 'durable') return {};
  return {
    history: { attempt: attemptRecord(deps, ended, attemptEnd('dead-lettered', decision)), days: deps.deployment.settings.historyDays },
  };
}

function finishedJob(job: LeasedJob, level: HistoryLevel, startedAt: number, finishedAt: number): FinishedJob {
  const { payload, codec, state: _state, lockOwner: _owner, lockExpiresAt: _expires, error: _error, lastErrors: _past, ...kept } = job;
  return { ...kept, ...(level === 'full' ? { payload, ...defined({ codec }) } : {}), outcome: 'completed', startedAt, finishedAt };
}

/** As any cancelled job is kept: at the level of the deployment, and without its payload. */
function cancelledJob({ job, startedAt, endedAt }: EndedAttempt, why: CancelWhy): FinishedJob {
  return { ...finishedJob(job, 'outcome', startedAt, endedAt), ...why, outcome: 'cancelled' };
}

/**
 * The state is that of this version of the code, so a payload of an older one is lifted with it: after a roll-back the job waits for this
 * version again. A step that throws now, and did not before the run, is the outcome.
 */
async function continueRun(deps: ExecutorDeps, to: Recording, state: string): Promise<Recorded> {
  const { handled, ended } = to;
  let set: Awaited<ReturnType<typeof continuedFields>>;
  try {
    set = await continuedFields(handled.type, ended.job, state);
  } catch (cause) {
    return decideAndRecord(deps, handled, { ...ended, outcome: { kind: 'threw', error: unrecordable(cause) } });
  }
  // `onError` may continue a job whose handler still runs.
  const dueAt = Math.max(ended.endedAt, ended.unsettled ? ended.job.lockExpiresAt : 0);
  return runAgainAt(deps, to, 'continued', { dueAt, counts: 'continuations', sameAttempt: true, set });
}

/** What would be as large again after another run: the state that the handler returned, or the payload that was lifted with it. */
function unrecordable(cause: unknown): unknown {
  if (cause instanceof InvalidInputError && cause.field === 'state') return new InvalidVerdictError(cause);
  return cause instanceof PayloadTooLargeError ? new NonRetryableError(cause.message, { cause }) : cause;
}

/** Back to the queue, or to Timers when the job is due beyond the delay horizon. */
async function runAgainAt(
  deps: ExecutorDeps,
  to: Recording,
  outcome: 'given-back' | 'continued' | 'snoozed' | 'retried',
  change: RunAgain & { readonly dueAt: number },
): Promise<Recorded> {
  const { job, token, endedAt: now } = to.ended;
  const visible = outcome === 'given-back' && deps.freshHints !== true;
  const { delayHorizonMs, redispatchAfterMs } = deps.deployment.settings;
  if (change.dueAt > now + delayHorizonMs) {
    const moved = await runAgainLater(deps.tables, job, change);
    if (moved.result !== 'waiting') return afterRefusal(deps, to, moved);
  } else {
    const returned = await runAgain(deps.tables, job, change, { token, now, redispatchAfterMs });
    if (returned.result !== 'ready') return afterRefusal(deps, to, returned);
    if (returned.ambiguous) note(deps, job, 'ambiguous-resolved');
    if (!visible) await sendHints(deps, [returned.job], now);
  }
  const { error } = attemptEnd(outcome, to.decision);
  note(deps, job, outcome, defined({ error }));
  return { ...done(to, outcome), disposition: visible ? 'requeue' : 'acknowledge' };
}

const done = ({ decision }: Recording, outcome: AttemptOutcome): Recorded => ({
  disposition: 'acknowledge',
  end: attemptEnd(outcome, decision),
});

/** A cancel request overrides the decision. After a lost lease, the new owner decides. */
async function afterRefusal(deps: ExecutorDeps, to: Recording, answer: Lost | CancelAsked): Promise<Recorded> {
  if (answer.result === 'cancel-asked') return endCancelled(deps, to, answer.why);
  note(deps, to.ended.job, 'lost-lease');
  return done(to, 'lost-lease');
}

/** Every try writes the same values: a repeat of one whose reply was lost is recognized. */
async function endCancelled(deps: ExecutorDeps, to: Recording, why: CancelWhy): Promise<Recorded> {
  const { ended, tries } = to;
  const { job, token, endedAt: now } = ended;
  tries.cancel = why;
  const terms = { ...cancelTerms(deps), ...why, now, token, leftOut: tries.leftOutOfCancel };
  if (await endAsCancelled(deps.tables, job, 'owner', terms)) {
    jobEnded(deps, job, 'cancelled');
    return done(to, 'cancelled');
  }
  note(deps, job, 'lost-lease');
  return done(to, 'lost-lease');
}

/**
 * What a row gets for its next run: the state, and with it a payload of an older version as this version of the code reads it. Both are
 * encoded by the codec that the row has. Throws what a step throws now and did not before the run, or PayloadCodecError.
 */
export async function continuedFields(type: AnyJobType, job: LeasedJob, state: string): Promise<Readonly<Record<string, Scalar>>> {
  const codec = job.codec === undefined ? undefined : type.codecs?.get(job.codec);
  if (codec === undefined) return { state, ...liftedFields(type, job) };
  return codec.continued(type, job, state);
}
