import type { MinuteStatistics } from '../../shared/features/statistics/admin/statistics.ts';

/** The counts of one bucket of a chart. */
export interface Bucket {
  readonly completed: number;
  readonly retried: number;
  readonly dead: number;
  readonly expired: number;
  readonly skipped: number;
  /** Milliseconds; the worst minute of the bucket. Absent when nothing started. */
  readonly p50?: number;
  readonly p95?: number;
}

/** Buckets of equal length that end with the one that contains `now`. */
export interface Buckets {
  readonly from: number;
  readonly stepMs: number;
  readonly buckets: readonly Bucket[];
}

/** Sums minutes in `count` buckets. A quantile of quantiles is meaningless, so the worst minute is shown. */
export function bucketsOf(
  minutes: readonly MinuteStatistics[],
  { now, stepMs, count }: { readonly now: number; readonly stepMs: number; readonly count: number },
): Buckets {
  const from = (Math.floor(now / stepMs) - count + 1) * stepMs;
  const buckets: Bucket[] = Array.from({ length: count }, () => ({ completed: 0, retried: 0, dead: 0, expired: 0, skipped: 0 }));
  for (const minute of minutes) {
    const index = Math.floor((minute.at.getTime() - from) / stepMs);
    const bucket = buckets[index];
    if (bucket !== undefined) buckets[index] = added(bucket, minute);
  }
  return { from, stepMs, buckets };
}

function added(bucket: Bucket, { completed, retried, dead, expired, skipped, delayMs }: MinuteStatistics): Bucket {
  return {
    completed: bucket.completed + completed,
    retried: bucket.retried + retried,
    dead: bucket.dead + dead,
    expired: bucket.expired + expired,
    skipped: bucket.skipped + skipped,
    ...(delayMs === undefined
      ? quantilesOf(bucket)
      : { p50: Math.max(bucket.p50 ?? 0, delayMs.p50), p95: Math.max(bucket.p95 ?? 0, delayMs.p95) }),
  };
}

const quantilesOf = ({ p50, p95 }: Bucket) => (p50 === undefined || p95 === undefined ? {} : { p50, p95 });
