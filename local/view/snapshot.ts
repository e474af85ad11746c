import type { PlacedRow, StateCounts } from '../shop/job-places.ts';

/** The content of the live view at one moment. */
export interface Snapshot {
  readonly upMs: number;
  readonly orders: number;
  readonly counts: StateCounts;
  readonly completed: number;
  readonly cancelled: number;
  readonly retried: number;
  readonly timersFired: number;
  readonly resets: number;
  /** Completions per second over the last few seconds. */
  readonly throughput: number;
  /** From due to start, milliseconds; absent before the first. */
  readonly delay?: { readonly median: number; readonly p95: number };
  readonly byType: readonly TypeCounts[];
  readonly deadLetters: readonly PlacedRow[];
}

/** Runs of one job type. */
export interface TypeCounts {
  readonly type: string;
  readonly enqueued: number;
  readonly runs: number;
  readonly completed: number;
}

/** The value below which `share` of the values are; undefined for none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
