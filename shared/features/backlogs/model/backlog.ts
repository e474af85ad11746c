/** How many jobs of a type were ready, as a pass of the sweeper over Jobs saw them. Instants are epoch milliseconds. */
export interface Measurement {
  readonly count: number;
  /** When the pass began. It counts each job that was ready then and did not start before the pass reached it. */
  readonly from: number;
  /** When it was recorded. */
  readonly at: number;
}

const RUNS = 3;

/**
 * Whether a measurement may still refuse a job. It may for three runs of the sweeper, and twice as long as its pass took: a large table needs
 * several runs for a pass.
 */
export function isCurrent({ from, at }: Measurement, now: number, intervalMs: number): boolean {
  // A clock that was ahead may have written an instant of the future.
  return Math.abs(now - at) <= RUNS * intervalMs + 2 * (at - from);
}

/** Whether `adding` more jobs stay within the bound. `own`: what this process enqueued since the measurement. */
export function hasRoom(counts: { readonly measured: number; readonly own: number; readonly adding: number }, bound: number): boolean {
  return counts.measured + counts.own + counts.adding <= bound;
}
