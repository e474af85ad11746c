/** Counts of entries without a worker have this name in place of one. */
export const NO_WORKER = 'all';

/** What statistics count, minute by minute. */
export const COUNTS = [
  'started',
  'completed',
  'retried',
  'dead',
  'cancelled',
  'expired',
  'skipped',
  'snoozed',
  'crashed',
  'fired',
] as const;

/** One of them. */
export type Counted = (typeof COUNTS)[number];

/** Those that are counted by type and tenant too. */
export const NAMED_COUNTS = ['started', 'completed', 'retried', 'dead'] as const satisfies readonly Counted[];
export type NamedCount = (typeof NAMED_COUNTS)[number];

/** What sums can be taken by. */
export const STATISTICS_KINDS = ['type', 'tenant'] as const;
export type StatisticsKind = (typeof STATISTICS_KINDS)[number];

/** Names of each kind that the minute of a worker holds, so that neither its row nor an update of it grows beyond what DynamoDB takes. */
export const MAX_NAMES = 16;

/** Sums of one minute. */
export interface MinuteSums {
  readonly counts: Readonly<Partial<Record<Counted, number>>>;
  /** How many jobs waited how long from due to start: counts by `delayBucket`. */
  readonly delays: ReadonlyMap<number, number>;
  /** Time in handlers, and of how many runs. */
  readonly runMs: number;
  readonly runs: number;
}

/** Two buckets for each doubling: a value read from one is off by a fifth at most. */
const PER_DOUBLING = 2;
/** The last bucket: 24 days and more. */
const LAST_BUCKET = 62;

/** The bucket of a delay: 0 below a millisecond, then two for each doubling. */
export function delayBucket(ms: number): number {
  return ms < 1 ? 0 : Math.min(LAST_BUCKET, 1 + Math.floor(PER_DOUBLING * Math.log2(ms)));
}

const lowerBound = (bucket: number): number => 2 ** ((bucket - 1) / PER_DOUBLING);
const upperBound = (bucket: number): number => 2 ** (bucket / PER_DOUBLING);

/** Percentiles of what was put into buckets, in whole milliseconds; undefined for none. `max` is the upper bound of the last one. */
export function delayEstimates(
  delays: ReadonlyMap<number, number>,
): { readonly p50: number; readonly p95: number; readonly max: number } | undefined {
  const filled = [...delays].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b);
  const last = filled.at(-1);
  if (last === undefined) return undefined;
  return { p50: percentile(filled, 0.5), p95: percentile(filled, 0.95), max: Math.round(upperBound(last[0])) };
}

function percentile(filled: readonly (readonly [number, number])[], share: number): number {
  const wanted = share * filled.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of filled) {
    if (below + count >= wanted) {
      const [from, to] = [lowerBound(bucket), upperBound(bucket)];
      return Math.round(from + ((wanted - below) / count) * (to - from));
    }
    below += count;
  }
  return 0;
}

/** Several sums as one. */
export function addUpMinutes(all: readonly MinuteSums[]): MinuteSums {
  const counts: Partial<Record<Counted, number>> = {};
  const delays = new Map<number, number>();
  let [runMs, runs] = [0, 0];
  for (const one of all) {
    for (const name of COUNTS) if (one.counts[name] !== undefined) counts[name] = (counts[name] ?? 0) + one.counts[name];
    for (const [bucket, count] of one.delays) delays.set(bucket, (delays.get(bucket) ?? 0) + count);
    runMs += one.runMs;
    runs += one.runs;
  }
  return { counts, delays, runMs, runs };
}
