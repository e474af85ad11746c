import type { AttemptOutcome } from '../../shared/job/attempt.ts';
import type { Instant } from '../../shared/job/instant.ts';
import type { AttemptEntry } from '../../shared/features/history/model/history-entry.ts';
import type { AnyOf } from '../jobs/job-filter.ts';

/** The orders of attempts. Keys give the first two, by when the jobs were first due; `slowest-first` sorts a part of the range at a time. */
export const ATTEMPT_ORDERS = ['newest-first', 'oldest-first', 'slowest-first'] as const;
export type AttemptOrder = (typeof ATTEMPT_ORDERS)[number];

/** Selects the attempts that have every given value. */
export interface AttemptFilter {
  readonly type?: AnyOf<string>;
  readonly worker?: AnyOf<string>;
  /** `null`: attempts of jobs without a tenant. */
  readonly tenant?: AnyOf<string> | { readonly prefix: string } | null;
  readonly outcome?: AnyOf<AttemptOutcome>;
  /** Why the job became a dead letter with this attempt. */
  readonly reason?: AnyOf<string>;
  /** `JobTimedOutError` for attempts that passed their time limit. */
  readonly errorName?: AnyOf<string>;
  /** The fingerprint of the error, as the error group of its dead letters has it. */
  readonly fingerprint?: AnyOf<string>;
  /** Whether the attempt failed with an error, whatever became of its job. */
  readonly hasError?: boolean;
  /** A text in the message of the error, case-insensitive. */
  readonly text?: string;
  /** Shortest run of an attempt, in milliseconds. */
  readonly minRunMs?: number;
  /** When the attempt ended: inclusive, default a day before `to`. */
  readonly from?: Instant;
  /** Exclusive; default now. */
  readonly to?: Instant;
  /** When its job was first due, by which History is kept: inclusive, default a day before `from`. Earlier for jobs that were retried for longer. */
  readonly dueFrom?: Instant;
  /** Exclusive; default a minute after `to`. Later for jobs that were run ahead of their time. */
  readonly dueTo?: Instant;
}

/** What to list, and how much to read. */
export interface AttemptListOptions extends AttemptFilter {
  /** Default newest-first. */
  readonly order?: AttemptOrder;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
  /** The `next` of an earlier page. */
  readonly after?: string;
  /** Read units after which a page ends, full or not. Default 1,000. */
  readonly maxReadUnits?: number;
}

/** An attempt in a list: without its log and its stack, which `history({ id })` has. */
export interface ListedAttempt extends Omit<AttemptEntry, 'log'> {
  readonly jobId: string;
  readonly type: string;
  readonly worker: string;
  readonly tenant?: string;
  readonly runMs: number;
  /** Of its error. */
  readonly fingerprint?: string;
}

/** A page of attempts. */
export interface AttemptPage {
  readonly attempts: readonly ListedAttempt[];
  /** Absent when the range was read to its end; a page may be empty and not the last. */
  readonly next?: string;
  readonly readUnits: number;
  readonly order: AttemptOrder;
  /** The attempts of jobs that were first due in this range were read, and of no others. */
  readonly dueFrom: Date;
  /** Exclusive. */
  readonly dueTo: Date;
}

/** What operators read of attempts across jobs. */
export interface AttemptVerbs {
  /**
   * The attempts that History keeps, of all jobs: those at the levels `attempts`, `full` and `durable`. Reads the days of History that its jobs were
   * first due in, 64 queries for each (32 read units for an empty one) and what the rows cost; compares after reading, and scans nothing.
   */
  attempts(options?: AttemptListOptions): Promise<AttemptPage>;
}
