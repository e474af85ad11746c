import type { Instant } from '../../core/instant.ts';
import type { JobState } from '../../core/job.ts';

/** One value, or any of several. */
export type AnyOf<Value> = Value | readonly Value[];

/** Fields that are compared with an attribute of the row, one of several values each. */
export const VALUE_FIELDS = [
  'type',
  'group',
  'correlationId',
  'batch',
  'schedule',
  'worker',
  'lane',
  'fingerprint',
  'errorName',
  'reason',
  'cause',
  'outcome',
] as const;

/** Which jobs are meant, in whatever state: all that have every value given. The same filter for lists, counts and bulk verbs. */
export interface JobFilter {
  /** Default: every state but finished. */
  readonly state?: AnyOf<JobState>;
  readonly id?: AnyOf<string>;
  readonly type?: AnyOf<string>;
  /** `null`: jobs without a tenant. */
  readonly tenant?: AnyOf<string> | { readonly prefix: string } | null;
  readonly group?: AnyOf<string>;
  readonly correlationId?: AnyOf<string>;
  readonly batch?: AnyOf<string>;
  readonly schedule?: AnyOf<string>;
  readonly worker?: AnyOf<string>;
  readonly lane?: AnyOf<string>;
  /** Dead letters of one fault: the fingerprint of their error group. */
  readonly fingerprint?: AnyOf<string>;
  readonly errorName?: AnyOf<string>;
  /** Dead letters: why they died. Suspended at a breakpoint: what the operator said. */
  readonly reason?: AnyOf<string>;
  /** Suspended jobs: the scope of the suspension, `no-handler#<type>` or `breakpoint`. */
  readonly cause?: AnyOf<string>;
  /** Finished jobs. */
  readonly outcome?: AnyOf<'completed' | 'cancelled' | 'skipped'>;
  /** Inclusive, exclusive; of the time that the state is about: due, suspended, parked, failed, finished. */
  readonly from?: Instant;
  readonly to?: Instant;
  /** A text in payload or error message, whatever the case of its letters. */
  readonly text?: string;
}

/** What to list, and how far to look. */
export interface ListOptions extends JobFilter {
  /** Default 100, at most 1,000. */
  readonly limit?: number;
  /** The `next` of an earlier page. */
  readonly after?: string;
  /** Read units after which a page ends, full or not. Default 1,000: about 8 MB of rows. */
  readonly maxReadUnits?: number;
}
