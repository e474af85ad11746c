/** EventBridge Scheduler may deliver a tick so much later. */
const LATE_TICK_MS = 60_000;

/**
 * Whether a heartbeat is so old that more than one tick was missed, or one was missed and the next is late: from three minutes on where
 * ticks come every minute, as the alarms have it. One that never was is late.
 */
export function isLate(at: number | undefined, intervalMs: number, now: number): boolean {
  return at === undefined || now - at > 2 * intervalMs + LATE_TICK_MS;
}

/** When a function that is ticked will have looked at what is to be done from `from` on, unless a tick is missed. */
export function nextTickBy(from: number, intervalMs: number): number {
  return from + intervalMs + LATE_TICK_MS;
}
