import type { StatisticsKind } from '../model/statistics.ts';

/** What happened in one minute, summed over all workers or of one. */
export interface MinuteStatistics {
  readonly at: Date;
  readonly started: number;
  readonly completed: number;
  /** Attempts that failed and are tried again. */
  readonly retried: number;
  readonly dead: number;
  readonly cancelled: number;
  /** Jobs that did not start in time. */
  readonly expired: number;
  /** Occurrences of schedules that the missed or the overlap policy, or a pause, did not let start. */
  readonly skipped: number;
  readonly snoozed: number;
  readonly crashed: number;
  /** Timers fired. */
  readonly fired: number;
  /** From due to start: an estimate from buckets; absent when nothing started. */
  readonly delayMs?: { readonly p50: number; readonly p95: number; readonly max: number };
  /** Mean time in handlers. */
  readonly runMs?: number;
}

/** What became of the jobs of one type or tenant. */
export interface NamedStatistics {
  /** The type or tenant; absent for the others: those that had no place in a minute. */
  readonly name?: string;
  readonly started: number;
  readonly completed: number;
  readonly retried: number;
  readonly dead: number;
  /** Mean time in handlers of jobs that completed. */
  readonly runMs?: number;
}

/** What to sum up. */
export interface StatisticsOptions {
  /** Default: an hour before `to`. At most 8 days are kept. */
  readonly from?: Date;
  /** Default: now. */
  readonly to?: Date;
  /** Default: all that the deployment has. Its former names count, too. */
  readonly worker?: string;
}

/** What happened, minute by minute. */
export interface StatisticsVerbs {
  /** Oldest first, without empty minutes. Default: the last hour, all workers. At most 8 days are kept. */
  statistics(options?: StatisticsOptions): Promise<readonly MinuteStatistics[]>;
  /**
   * What became of jobs by type or by tenant, in all of the time together: most started first, the others last. Empty unless the setting `statistics`
   * is 2 (by type) or 3 (by type and tenant).
   */
  statisticsBy(kind: StatisticsKind, options?: StatisticsOptions): Promise<{ readonly sums: readonly NamedStatistics[] }>;
}
