import { defined } from '../job/defined.ts';
import { jobRef } from '../ports/journal.ts';
import { type Duration, durationMs } from '../job/duration.ts';
import { InvalidInputError } from '../job/errors.ts';
import type { FinishedOutcome } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import { checkOptions, checkText } from '../job/names.ts';
import { cancel, type Cancelled, cancelTerms, type CancelOutcome } from '../store/cancel.ts';
import type { CancelWhy } from '../store/cancel-why.ts';
import { settleBatch } from '../features/batches/store/settle-batch.ts';
import type { ClientDeps } from './client-deps.ts';

/** Options of a cancel. */
export interface CancelOptions {
  /** Why. Unless the deployment's history is off, History keeps it; the handler of a running job finds it in `signal.reason`. */
  readonly reason?: string;
  /** The actor. Kept like `reason`. */
  readonly actor?: string;
  /**
   * How long to wait at most, if the job is running or not found, to see whether the cancel or the completion won. At most PT15M. Default:
   * not at all.
   */
  readonly wait?: Duration;
}

/** What a cancel came to; `completed`, `skipped` and `expired` only with `wait`: the job was faster. */
export type CancelAnswer = CancelOutcome | FinishedOutcome;

const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 2_000;
const LONGEST_WAIT_MS = 15 * 60_000;

/** Checks the options of a cancel; `more` are additional options that are allowed. */
export function checkCancelOptions(options: CancelOptions, more: readonly string[] = []): CancelWhy & { readonly waitMs: number } {
  checkOptions(options, ['reason', 'actor', 'wait', ...more], 'options');
  const waitMs = options.wait === undefined ? 0 : durationMs(options.wait, 'wait');
  if (waitMs > LONGEST_WAIT_MS) throw new InvalidInputError('wait', options.wait, 'Use at most PT15M, and cancel again after it.');
  const [cancelReason, cancelledBy] = [checkText(options.reason, 'reason'), checkText(options.actor, 'actor')];
  return {
    waitMs,
    ...defined({ cancelReason, cancelledBy }),
  };
}

/**
 * Cancels a job by its id, and with `wait` reads it until its end is known. `not-found` at once if it is not `stillMeant` when it is found; that is
 * not asked any more once it has been asked to stop.
 */
export async function cancelJob(
  deps: ClientDeps,
  id: JobId,
  options: CancelOptions = {},
  stillMeant?: () => Promise<boolean>,
): Promise<CancelAnswer> {
  const { waitMs, ...why } = checkCancelOptions(options);
  const until = deps.clock.now() + waitMs;
  let asked = false;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
    const meant = asked ? {} : defined({ stillMeant });
    const found = await cancel(deps.tables, id, { ...cancelTerms(deps), ...why, ...meant });
    if (found.outcome === 'cancelled') {
      deps.journal.record({ event: 'cancelled', ...(found.job ? { worker: found.job.worker, job: jobRef(found.job) } : {}) });
      // Without an answer it is the sweeper's.
      if (found.job?.batch !== undefined) await settleBatch(deps, found.job.batch).catch(() => undefined);
    }
    if (waitMs === 0 || found.notMeant === true) return found.outcome;
    const end = endOf(found, asked);
    if (end !== undefined) return end;
    const left = until - deps.clock.now();
    const neverTold = found.outcome !== 'cancel-requested' && deps.deployment.history === 'off';
    if (left <= 0 || neverTold) return found.outcome;
    asked ||= found.outcome === 'cancel-requested';
    await deps.clock.wait(Math.min(pauseMs, left));
  }
}

/** The end as far as it is known; undefined while the job runs, or while History may still learn how it ended. */
function endOf({ outcome, job }: Cancelled, asked: boolean): CancelAnswer | undefined {
  if (outcome === 'cancel-requested') return undefined;
  // A run with a cancel request can only end as cancelled, so its absence is enough.
  if (asked && (outcome === 'finished' || outcome === 'not-found')) return 'cancelled';
  if (job !== undefined && 'outcome' in job) return job.outcome;
  // A job that has just completed is nowhere until its invocation writes History.
  return outcome === 'finished' || outcome === 'not-found' ? undefined : outcome;
}
