import type { Instant } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';

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
  'kind',
  'lockOwner',
] as const;

/** Fields that are compared with a number of the row, and its attribute. */
export const NUMBER_FIELDS = { priority: 'priority', failures: 'failures', attempts: 'starts' } as const;

/** One number, or those from `min` to `max`, both included; one of the two may be absent. */
export type NumberRange = number | { readonly min?: number; readonly max?: number };

/** The orders of a list, by the time that the state is about. `soonest-first` and `latest-first` are for waiting jobs. */
export const LIST_ORDERS = ['newest-first', 'oldest-first', 'soonest-first', 'latest-first'] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

/** Selects the jobs that have every given value, in any state. The same filter serves lists, counts and bulk verbs. */
export interface JobFilter extends FilterFields {
  /** Jobs that match at least one of these filters, besides the other fields. At most 20, each with a field of its own. */
  readonly or?: readonly FilterFields[];
}

/** The fields of a filter without its alternatives. */
export interface FilterFields {
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
  /** Suspended jobs: the scope of the suspension, `no-handler#<type>`, `newer-version#<type>@<version>`, `unknown-codec#<type>@<codec>` or `breakpoint`. */
  readonly cause?: AnyOf<string>;
  /** Finished jobs. */
  readonly outcome?: AnyOf<'completed' | 'cancelled' | 'skipped' | 'expired'>;
  /** Inclusive, exclusive; of the time that the state is about: due, suspended, parked, failed, finished. */
  readonly from?: Instant;
  readonly to?: Instant;
  /** A text in payload or error message, case-insensitive. */
  readonly text?: string;
  /** `timer`: first due later than the delay horizon. No index has it: rows that come from one are read one by one. */
  readonly kind?: AnyOf<'async' | 'timer'>;
  /** Ready and running: the exact holder of the lease, as `find` shows it. Each claim has its own. */
  readonly lockOwner?: AnyOf<string>;
  readonly priority?: NumberRange;
  /**
   * Failures so far: what counts against the retry policy. There is no filter by the tries that are left, because a row does not hold
   * its policy unless the job has one of its own.
   */
  readonly failures?: NumberRange;
  /** Claims so far. */
  readonly attempts?: NumberRange;
  /** Inclusive, exclusive; of the time at which the job was created. */
  readonly createdFrom?: Instant;
  readonly createdTo?: Instant;
  /** Whether a failure is kept with the job: the last one of a job that is tried again, or the one that a dead letter died of. */
  readonly hasError?: boolean;
}

/** What to list, and how much to read. */
export interface ListOptions extends JobFilter {
  /** Only where keys give it. Without it the page says in which order its jobs are. */
  readonly order?: ListOrder;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
  /** The `next` of an earlier page. */
  readonly after?: string;
  /** Read units after which a page ends, full or not. Default 1,000: about 8 MB of rows. */
  readonly maxReadUnits?: number;
}
