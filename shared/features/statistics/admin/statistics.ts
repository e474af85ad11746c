/** What happened in one minute, summed over all workers or of one. */
export interface MinuteStatistics {
  readonly at: Date;
  readonly started: number;
  readonly completed: number;
  /** Attempts that failed and are tried again. */
  readonly retried: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly snoozed: number;
  readonly crashed: number;
  /** Timers fired. */
  readonly fired: number;
  /** From due to start: an estimate from buckets; absent when nothing started. */
  readonly delayMs?: { readonly p50: number; readonly p95: number; readonly max: number };
  /** Mean time in handlers. */
  readonly runMs?: number;
}

/** When the acquirers and the sweeper last ended a run, and what they reported. */
export interface Heartbeat {
  readonly who: string;
  readonly at: Date;
  /** Later than it may be: nobody has ticked it, or it fails. */
  readonly late: boolean;
  readonly report: Readonly<Record<string, string | number | boolean>>;
}

/** How many slots of a limit are held, and how many jobs wait for one. */
export interface LimitUse {
  readonly limit: string;
  readonly hash: string;
  readonly held: number;
  readonly parked: number;
  /** False when more are parked than were counted. */
  readonly exact: boolean;
}

/** Limits that were looked at. */
export interface LimitUses {
  /** Those with most parked jobs first. */
  readonly limits: readonly LimitUse[];
  /** False when the read units did not last for all limits: the others are left out. */
  readonly complete: boolean;
  readonly readUnits: number;
}

/** What operators read of the whole. */
export interface StatisticsVerbs {
  /** Minute by minute, the oldest first, those without anything left out. Default: the last hour, all workers. At most 8 days are kept. */
  statistics(options?: { readonly from?: Date; readonly to?: Date; readonly worker?: string }): Promise<readonly MinuteStatistics[]>;
  /** Of the sweeper and of the acquirers that the deployment has. */
  heartbeats(): Promise<readonly Heartbeat[]>;
  /**
   * Limits under which jobs are parked. Parked jobs are read to be counted, at most 100 of a limit, 10 where there are more than ten limits;
   * it begins no further limit once it has read about `maxReadUnits` (default 500).
   */
  limits(options?: { readonly maxReadUnits?: number }): Promise<LimitUses>;
}
