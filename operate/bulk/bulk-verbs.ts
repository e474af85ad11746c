import type { Duration } from '../../shared/job/duration.ts';
import type { JobFilter } from '../jobs/job-filter.ts';
import type { EditPayloadVerb } from '../edit-payload.ts';
import type { BulkAction } from '../verbs.ts';
import type { ChangeTenantVerb } from '../verbs/change-tenant.ts';
import type { DeleteVerb } from '../verbs/delete.ts';
import type { VerbPreview } from '../verbs/verb.ts';
import type { Quoting } from './quoted-paths.ts';

export type { BulkAction } from '../verbs.ts';

/** Options of a bulk action. */
export interface BulkOptions {
  /** Counts the matching jobs and writes nothing. */
  readonly dryRun?: boolean;
  /** Jobs per second at most. Default: as fast as possible. */
  readonly ratePerSecond?: number;
  /**
   * Acts on one job first, and continues when that one has completed; gone without an entry in History counts as completed. For `redrive`,
   * `run-now`, `resume`, `move` and `patch`.
   */
  readonly canary?: boolean;
  /** How long to wait for the canary. Default 5 minutes. */
  readonly canaryWithin?: Duration;
  /** How many jobs to change at most. Default: all. */
  readonly limit?: number;
  /** The actor, for the audit. Unless history is off, History keeps it with jobs that the action cancels. */
  readonly actor?: string;
  /** Why, for the audit. Jobs that the action suspends or buries keep it; of those that it cancels, History keeps it like `actor`. */
  readonly reason?: string;
  /** Called with the id for `resumeBulk`, before the first job is changed. Not called for a dry run. */
  readonly onBegin?: (id: string) => void;
  /** Called after each step of up to 50 jobs; in a dry run after each page. */
  readonly onProgress?: (progress: BulkProgress) => void;
  /** Stops the action after the jobs that are being changed. `resumeBulk` continues it. */
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

/** One job, and what the action would make of its payload. */
export interface BulkSample extends VerbPreview, Quoting {
  readonly id: string;
}

/** One job that failed; its error may be the message of a schema. */
export interface BulkFailure extends Quoting {
  readonly id: string;
  readonly error: string;
}

/** What a bulk action did, or is doing. */
export interface BulkReport extends BulkProgress {
  /** What `resumeBulk` takes; absent for a dry run. */
  readonly id?: string;
  readonly action: BulkAction;
  readonly filter: JobFilter;
  readonly status: 'dry-run' | 'running' | 'done' | 'stopped' | 'canary-failed';
  /** Whether every place was looked at, so that `matched` is exact for jobs that do not move. */
  readonly complete: boolean;
  readonly canary?: { readonly id: string; readonly outcome: string };
  /** Of a dry run of `patch`: the first job that matches, before and after it, or why it would be left alone. */
  readonly sample?: BulkSample;
  /** The first of those that failed. */
  readonly failures: readonly BulkFailure[];
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly actor: string;
  readonly reason?: string;
  /** A process is running it, or died doing so: it may not be resumed before this. Extended while the process is alive. Absent if none is. */
  readonly heldUntil?: Date;
}

/** What happens to everything that matches a filter, and to single jobs beyond what their own verbs do. */
export interface BulkVerbs extends DeleteVerb, EditPayloadVerb, ChangeTenantVerb {
  /**
   * Acts on every job that matches: only on those that existed when it began, each at most once, even if others act concurrently. A repeat acts on
   * the rest. Throws InvalidInputError for a filter that names nothing.
   */
  bulk(action: BulkAction, filter: JobFilter, options?: BulkOptions): Promise<BulkReport>;
  /**
   * Continues one that was stopped, or whose process died. Undefined for an unknown id. One that has ended, or is running, is only
   * reported: `onBegin` is not called then.
   */
  resumeBulk(
    id: string,
    options?: Pick<BulkOptions, 'onBegin' | 'onProgress' | 'signal' | 'ratePerSecond' | 'actor'>,
  ): Promise<BulkReport | undefined>;
  /** The progress of one, from its row. Undefined for an unknown id. One read. */
  bulkReport(id: string): Promise<BulkReport | undefined>;
  /** The last ones, newest first, at most `limit` (default 20), those that began before the one with the id `before`; kept for 30 days. */
  bulks(options?: { readonly limit?: number; readonly before?: string }): Promise<readonly BulkReport[]>;
}
