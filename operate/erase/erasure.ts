import type { AuditContext } from '../../shared/operator/act.ts';

/** What to erase: everything kept of one job, of a type, of a tenant, or of a type of a tenant. All given fields must match. */
export interface EraseScope {
  readonly id?: string;
  readonly type?: string;
  readonly tenant?: string;
}

/** What an erasure removes, in the order in which it looks for it. */
export const ERASED_KINDS = {
  deadLetters: 'dead letters',
  finished: 'finished jobs in History',
  attempts: 'attempts in History',
  events: 'entries of the event log',
  results: 'results',
  errorTexts: 'messages of error groups',
} as const;

/** One kind of row or text that an erasure removes. */
export type ErasedKind = keyof typeof ERASED_KINDS;

/** Options of an erasure. */
export interface EraseOptions extends AuditContext {
  /** Erases. Default: a dry run, which counts and writes nothing. */
  readonly apply?: boolean;
  /** Cancels jobs that have not ended; running ones are asked to stop. Default: they are left alone and counted as `live`. */
  readonly cancelLive?: boolean;
  /** Rows that are erased per second. Default 200. */
  readonly ratePerSecond?: number;
  /** Called with the id for `resumeErasure`, before anything is erased. Not called for a dry run. */
  readonly onBegin?: (id: string) => void;
  /** Called after each page. */
  readonly onProgress?: (report: ErasureReport) => void;
  /** Stops at the end of a step. `resumeErasure` continues. */
  readonly signal?: AbortSignal;
}

/** What an erasure removed, or would remove. Kept for 400 days; it holds no payload, error or result. */
export interface ErasureReport {
  /** Absent for a dry run. */
  readonly id?: string;
  readonly scope: EraseScope;
  /** `running` also when its process died: `resumeErasure` continues it. */
  readonly status: 'dry-run' | 'running' | 'stopped' | 'done';
  readonly erased: Readonly<Record<ErasedKind, number>>;
  /** Live jobs that it cancelled. */
  readonly cancelled: number;
  /** Live jobs that it met and left, or asked to stop: what they leave behind is not erased. */
  readonly live: number;
  /** Schedules that enqueue jobs of the scope, with payloads of their own. They are not erased. Known at the end. */
  readonly schedules?: number;
  /** Rows for which the store did not answer, or that changed at each look; live jobs with an unreadable row. Run it again. */
  readonly failed: number;
  /** Rows that were looked at. */
  readonly rows: number;
  /** Chained SHA-256 over the ids in the order of `erasedJobs`; the audit has it too. Empty if nothing was erased. */
  readonly digest: string;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly actor: string;
  readonly reason?: string;
}

/** The ids of jobs of which an erasure removed something, a step at a time. */
export interface ErasedJobs {
  readonly steps: readonly { readonly at: Date; readonly ids: readonly string[]; readonly digest: string }[];
  /** Continues with the next page. */
  readonly next?: string;
}

/** Erasing for one tenant. */
export interface TenantEraseVerbs {
  /**
   * Erases what is kept of ended jobs: dead letters, History with attempts and events, results, messages of error groups. Each step is one transaction with
   * the ids that it erased. A dry run without `apply`. Throws InvalidInputError for a scope that names nothing.
   */
  erase(scope: EraseScope, options?: EraseOptions): Promise<ErasureReport>;
  /**
   * Continues an erasure that was stopped, or whose process died. Undefined for an unknown id. One that is done is only reported. If another
   * process still works on it, that one stops at its next write.
   */
  resumeErasure(
    id: string,
    options?: Pick<EraseOptions, 'ratePerSecond' | 'actor' | 'onBegin' | 'onProgress' | 'signal'>,
  ): Promise<ErasureReport | undefined>;
  /** What one has erased so far. Undefined for an unknown id. One read. */
  erasure(id: string): Promise<ErasureReport | undefined>;
  /** The ids of jobs of which it erased something. */
  erasedJobs(id: string, options?: { readonly limit?: number; readonly after?: string }): Promise<ErasedJobs>;
}

/** Erasing for operators of the whole deployment. */
export interface EraseVerbs extends TenantEraseVerbs {
  /** The last erasures, newest first, at most `limit` (default 20), those that began before the one with the id `before`. */
  erasures(options?: { readonly limit?: number; readonly before?: string }): Promise<readonly ErasureReport[]>;
}
