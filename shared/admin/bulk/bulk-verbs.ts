import type { Duration } from '../../core/duration.ts';
import type { Instant } from '../../core/instant.ts';
import type { AuditContext } from '../change-job.ts';
import type { JobFilter } from '../jobs/job-filter.ts';

/** What to do to each job. */
export type BulkAction =
  | { readonly verb: 'redrive'; readonly retries?: number; readonly at?: Instant }
  | { readonly verb: 'delete' }
  | { readonly verb: 'cancel' }
  | { readonly verb: 'set-retries'; readonly retries: number }
  | { readonly verb: 'set-due-date'; readonly runAt?: Instant; readonly delay?: Duration }
  | { readonly verb: 'set-priority'; readonly priority: number }
  | { readonly verb: 'run-now' }
  /** Stops each at a breakpoint; a scope is suspended with `suspend`. */
  | { readonly verb: 'suspend' }
  | { readonly verb: 'activate' }
  /** `null`: none. */
  | { readonly verb: 'change-tenant'; readonly tenant: string | null };

/** Options of a bulk action. */
export interface BulkOptions {
  /** Counts the matching jobs and writes nothing. */
  readonly dryRun?: boolean;
  /** Jobs per second. Default: as fast as possible. */
  readonly ratePerSecond?: number;
  /** Acts on one job first, and continues only when that job has completed. For `redrive`, `run-now` and `activate`. */
  readonly canary?: boolean;
  /** How long to wait for the canary. Default 5 minutes. */
  readonly canaryWithin?: Duration;
  /** How many jobs to change at most. Default: all. */
  readonly limit?: number;
  /** Who acts, for the audit. `cancel` and `suspend` keep it with the job too. */
  readonly actor?: string;
  /** Why. Kept like `actor`. */
  readonly reason?: string;
  /** Called with the id for `resumeBulk`, before the first job is changed. Not called for a dry run. */
  readonly onBegin?: (id: string) => void;
  /** Called after each page. */
  readonly onProgress?: (progress: BulkProgress) => void;
  /** Stops before the next job. `resumeBulk` continues. */
  readonly signal?: AbortSignal;
}

/** How far a bulk action is. */
export interface BulkProgress {
  /** Jobs that matched so far. */
  readonly matched: number;
  readonly done: number;
  /** Jobs that it left alone, by why: the outcome of the verb, such as `running` or `not-found`. */
  readonly leftAlone: Readonly<Record<string, number>>;
  readonly failed: number;
  readonly readUnits: number;
}

/** What a bulk action did, or is doing. */
export interface BulkReport extends BulkProgress {
  /** What `resumeBulk` takes; absent for a dry run. */
  readonly id?: string;
  readonly action: BulkAction;
  readonly filter: JobFilter;
  readonly status: 'dry-run' | 'running' | 'done' | 'stopped' | 'canary-failed';
  /** Whether every place was looked at, so that `matched` is exact. */
  readonly complete: boolean;
  readonly canary?: { readonly id: string; readonly outcome: string };
  /** The first of those that failed. */
  readonly failures: readonly { readonly id: string; readonly error: string }[];
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly actor: string;
  readonly reason?: string;
  /** Some process is at it, or died at it: until then it may not be resumed. Later with each sign of life. Absent where nobody is. */
  readonly heldUntil?: Date;
}

/** What happens to everything that matches a filter, and to single jobs beyond what their own verbs do. */
export interface BulkVerbs {
  /**
   * Acts on every job that matches: only on those that were there when it began, each at most once, whoever else acts meanwhile. Repeat it and it
   * finds what is left. Throws InvalidInputError for a filter that names nothing.
   */
  bulk(action: BulkAction, filter: JobFilter, options?: BulkOptions): Promise<BulkReport>;
  /**
   * Goes on with one that was stopped, or whose process died. Undefined for an unknown id. One that has ended, or that somebody is at, is only
   * reported: `onBegin` is not called then.
   */
  resumeBulk(
    id: string,
    options?: Pick<BulkOptions, 'onBegin' | 'onProgress' | 'signal' | 'ratePerSecond' | 'actor'>,
  ): Promise<BulkReport | undefined>;
  /** How far one is by what its row says. Undefined for an unknown id. One read. */
  bulkReport(id: string): Promise<BulkReport | undefined>;
  /** The last ones, newest first, at most `limit` (default 20), those that began before the one with the id `before`; kept for 30 days. */
  bulks(options?: { readonly limit?: number; readonly before?: string }): Promise<readonly BulkReport[]>;
  /** Removes a dead letter for good; its error group and the audit remember it. */
  delete(id: string, told?: AuditContext): Promise<'deleted' | NotDone>;
  /**
   * Another payload for a job that does not run, checked against its type's schema where the admin knows the type (`jobs` of
   * `createAdmin`). `rev`: the one that was seen. Group, key and priority were computed when the job was enqueued and stay as they
   * are; a parked job goes back to its queue and asks its limits again. `unreadable`: a dead letter that holds a damaged row; delete it.
   */
  editPayload(
    id: string,
    payload: unknown,
    told?: AuditContext & { readonly rev?: number },
  ): Promise<'edited' | 'changed' | 'unreadable' | NotDone>;
  /**
   * Another tenant, or none, for a job that does not run; its unique key goes along, or `key-taken`. `in-batch`: its batch belongs to
   * one tenant as a whole; `occurrence`: it waits for its schedule. What History and the audit kept of it stays the old tenant's.
   */
  changeTenant(
    id: string,
    tenant: string | null,
    told?: AuditContext,
  ): Promise<'changed' | 'key-taken' | 'in-batch' | 'occurrence' | 'unreadable' | NotDone>;
}

/** Why a verb did nothing: the state that kept it from it. */
export type NotDone = 'not-found' | 'waiting' | 'parked' | 'ready' | 'running' | 'suspended' | 'dead' | 'finished';
