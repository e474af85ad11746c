import type { Settings } from '../config/settings.ts';
import type { Invocation } from '../ports/sandbox.ts';

/** How the time of one invocation is divided: jobs run until `abortAt`, outcomes are recorded until the deadline. */
export interface TimeBudget {
  readonly deadlineAt: number;
  /** Handlers that still run are aborted here, at the latest. */
  readonly abortAt: number;
  /** What a job that starts at once may use. */
  readonly fullMs: number;
}

/** Divides an invocation that starts at `now`. */
export function timeBudget(invocation: Invocation, settings: Settings, now: number): TimeBudget {
  const abortAt = invocation.deadlineAt - settings.recordReserveMs - settings.abortGraceMs;
  return { deadlineAt: invocation.deadlineAt, abortAt, fullMs: Math.max(0, abortAt - now) };
}

/** A tenth of the invocation may go to receiving and claiming before a job that asks for all of it starts. */
const START_TOLERANCE = 0.9;

/** Whether a job may start now: at least `minimumRunMs`, and its type's own time limit as far as any invocation could give it. */
export function enoughTime(budget: TimeBudget, minimumRunMs: number, timeoutMs: number | undefined, now: number): boolean {
  const left = budget.abortAt - now;
  const wanted = timeoutMs ?? minimumRunMs;
  return (
    left >= Math.min(minimumRunMs, wanted) && (timeoutMs === undefined || left >= Math.min(timeoutMs, budget.fullMs * START_TOLERANCE))
  );
}
