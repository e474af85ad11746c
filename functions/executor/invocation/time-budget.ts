import type { Settings } from '../../../shared/config/settings.ts';
import type { Invocation } from '../../../shared/ports/sandbox.ts';

/** How the time of one invocation is divided: jobs run until `abortAt`, outcomes are recorded until the deadline. */
export interface TimeBudget {
  readonly deadlineAt: number;
  /** Handlers that still run are aborted here, at the latest. */
  readonly abortAt: number;
  /** The time available to a job that starts now. */
  readonly fullMs: number;
}

/** Divides an invocation that starts at `now`. */
export function timeBudget(invocation: Invocation, settings: Settings, now: number): TimeBudget {
  const abortAt = invocation.deadlineAt - settings.recordReserveMs - settings.abortGraceMs;
  return { deadlineAt: invocation.deadlineAt, abortAt, fullMs: Math.max(0, abortAt - now) };
}

/** Time allowed for receiving and claiming before a job that needs a whole invocation starts: a tenth of it, at least 2 s. */
const startTolerance = (fullMs: number): number => Math.max(fullMs / 10, 2_000);

/** Whether a job may start now: at least `minimumRunMs`, and its type's own time limit as far as any invocation could give it. */
export function enoughTime(budget: TimeBudget, minimumRunMs: number, timeoutMs: number | undefined, now: number): boolean {
  const left = budget.abortAt - now;
  if (left < Math.min(minimumRunMs, timeoutMs ?? minimumRunMs)) return false;
  return timeoutMs === undefined || left >= Math.min(timeoutMs, budget.fullMs - startTolerance(budget.fullMs));
}
