/** EventBridge Scheduler may deliver a tick so much later. */
export const LATE_TICK_MS = 60_000;

/** How often a function is ticked, and how long one run of it may take. */
export interface Ticked {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Whether a heartbeat is older than it can be while at most one tick is missed and one is late. One that never was is late. */
export function isLate(at: number | undefined, { intervalMs, timeoutMs }: Ticked, now: number): boolean {
  return at === undefined || now - at > 2 * intervalMs + LATE_TICK_MS + timeoutMs;
}

/** When a function that is ticked will have begun to look at what is to be done from `from` on, unless a tick is missed. */
export function nextTickBy(from: number, { intervalMs }: Ticked): number {
  return from + intervalMs + LATE_TICK_MS;
}
