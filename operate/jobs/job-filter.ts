import type { Instant } from '../../shared/job/instant.ts';
import type { JobState } from '../../shared/job/job.ts';

/** One value, or any of several. */
export type AnyOf<Value> = Value | readonly Value[];

/** A field that is compared with an attribute of the row, one of several values. */
interface ValueField {
  /** Completes "jobs". */
  readonly doc: string;
  /** What a value is called. Default: the name of the field. */
  readonly value?: string;
  /** The values that there are. */
  readonly choices?: readonly string[];
  /** The states in which a job can have it. Default: all. */
  readonly states?: readonly JobState[];
  /** What people call it. Default: its name in words. */
  readonly label?: string;
  /** Its option of the CLI. Default: its name. */
  readonly option?: string;
  /** No index has it. */
  readonly unindexed?: true;
}

/** The fields that take any of several values. */
const FIELDS = {
  id: { doc: 'with this id' },
  type: { doc: 'of this type' },
  group: { doc: 'of this group, exclusive or only a label' },
  correlationId: { doc: 'with this correlation id', value: 'id' },
  batch: { doc: 'of this batch', value: 'id' },
  schedule: { doc: 'made by this schedule', value: 'name' },
  worker: { doc: 'of this worker; jobs of a renamed one may have its former name' },
  lane: { doc: 'of this lane' },
  fingerprint: { doc: 'dead letters of this error group', value: 'text', label: 'error group', states: ['dead'] },
  errorName: { doc: 'whose last error has this name', value: 'name', label: 'error' },
  // An option named as the reason of an action would select different jobs for a list and for an action.
  reason: {
    doc: 'dead letters with this reason; jobs at a breakpoint with this reason text',
    states: ['dead', 'suspended'],
    option: 'ofReason',
  },
  cause: {
    doc: 'suspended by this: a scope such as type#invoice.send, no-handler#<type>, newer-version#<type>@<n>, unknown-codec#<type>@<codec> or breakpoint',
    states: ['suspended'],
  },
  outcome: { doc: 'finished jobs with this outcome', choices: ['completed', 'cancelled', 'skipped', 'expired'], states: ['finished'] },
  kind: {
    doc: 'timer: first due later than the delay horizon, or an occurrence that its schedule planned; async: any other',
    choices: ['async', 'timer'],
    unindexed: true,
  },
  lockOwner: {
    doc: 'ready or running, with exactly this holder of the lease',
    value: 'owner',
    states: ['ready', 'running'],
    unindexed: true,
  },
} as const satisfies Partial<Record<keyof FilterFields, ValueField>>;

export type ValueName = keyof typeof FIELDS;
export const VALUE_FIELDS: Readonly<Record<ValueName, ValueField>> = FIELDS;
export const ANY_OF = Object.keys(FIELDS) as readonly ValueName[];
/** Those that are compared with the attribute of their name. An id is the key of a row. */
export const COMPARED = ANY_OF.filter((field) => field !== 'id');

/** A name in words, or with another text between them: `correlation id`. */
export function wordsOf(name: string, between = ' '): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `${between}${letter.toLowerCase()}`);
}

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
