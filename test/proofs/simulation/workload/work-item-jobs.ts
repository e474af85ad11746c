import type { StandardSchemaV1 } from '@standard-schema/spec';
import { claimCheck } from '../../../../shared/features/claim-check/model/claim-check.ts';
import type { PayloadStore } from '../../../../shared/ports/payload-store.ts';
import { type AnyJobType, defineJob, type JobType } from '../../../../shared/job/job-type.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';

/** What a simulated job is told to do; `kind` picks the script of its handler. */
export interface WorkItem {
  readonly kind:
    | 'plain'
    | 'flaky'
    | 'hopeless'
    | 'refused'
    | 'conflicting'
    | 'snoozing'
    | 'poison'
    | 'stuck'
    | 'slow'
    | 'long'
    | 'parent'
    | 'continuing'
    | 'joining'
    | 'guarding';
  readonly workMs: number;
  /** How often it fails, snoozes or meets a conflict before it goes well. */
  readonly times: number;
  readonly delayMs: number;
  readonly group?: string;
  /** What its limits tell it apart by. */
  readonly limitKey?: string;
  /** How many generations of jobs it enqueues. */
  readonly generations: number;
  /** Of a guarding job: the key of the one that its completion cancels. */
  readonly cancels?: string;
  /** Of a batch's callback: what it tells. */
  readonly tells?: string;
  /** Of a patient job: the version of its shape. A handler gets that of its own version of the code. */
  readonly form?: 1 | 2;
}

/** How the keys of jobs begin that another one may cancel with its completion. */
export const GUARDED = 'guarded-';

/** Whether another job may cancel this one with its completion. */
export const isGuarded = (row: Readonly<Record<string, unknown>> | undefined): boolean => String(row?.['key']).startsWith(GUARDED);

const anyWorkItem: StandardSchemaV1<WorkItem> = {
  '~standard': { version: 1, vendor: 'simulation', validate: (value) => ({ value: value as WorkItem }) },
};

const group = (workItem: WorkItem): string | undefined => workItem.group;

const pair = defineLimit('pair', { concurrency: 2 });
const oneEach = defineLimit('one-each', { concurrency: 1 }, { key: (workItem: WorkItem) => workItem.limitKey });
const thrice = defineLimit('thrice', { rate: 3, per: 'PT1M' });
const once = defineLimit('once', { rate: 1, per: 'PT20S' }, { key: (workItem: WorkItem) => workItem.limitKey });

const patient = { payload: anyWorkItem, group, retry: 'PT1M,PT20M' };

/** What the older version of the executor, and a producer that is not deployed yet, have for `patient`. */
export const OLDER_PATIENT = defineJob('sim.patient', patient);

/** The types of the simulated jobs. `later` is known to the newer version of the executor only; `elsewhere` belongs to another worker, `foreign` to one whose jobs foreign code fetches. */
export const JOB_TYPES = {
  usual: defineJob('sim.usual', { payload: anyWorkItem, group, retry: 'R4/PT20S' }),
  patient: defineJob('sim.patient', {
    ...patient,
    version: 2,
    upcast: { 1: (workItem: WorkItem): WorkItem => ({ ...workItem, form: 2 }) },
  }),
  hurried: defineJob('sim.hurried', { payload: anyWorkItem, group, retry: 'R3/PT5S', timeout: 'PT5S' }),
  later: defineJob('sim.later', { payload: anyWorkItem, group }),
  elsewhere: defineJob('sim.elsewhere', { payload: anyWorkItem, group, worker: 'other', retry: 'R4/PT20S' }),
  foreign: defineJob('sim.foreign', { payload: anyWorkItem, group, worker: 'foreign', retry: 'R4/PT20S' }),
  limited: defineJob('sim.limited', { payload: anyWorkItem, group, limits: [pair, oneEach], retry: 'R4/PT20S' }),
  rated: defineJob('sim.rated', { payload: anyWorkItem, group, limits: [pair, thrice, once], retry: 'R4/PT20S' }),
  ordered: defineJob('sim.ordered', {
    payload: anyWorkItem,
    group: ({ group: name }: WorkItem) => (name === undefined ? undefined : { name, onFailure: 'block' }),
    retry: 'R3/PT2M',
  }),
  overdue: defineJob('sim.overdue', { payload: anyWorkItem, group, retry: 'R4/PT20S', startWithin: 'PT1S', onExpiry: 'dead-letter' }),
  abroad: defineJob('sim.abroad', { payload: anyWorkItem, worker: 'other', limits: [pair, thrice], retry: 'R4/PT20S' }),
} as const satisfies Readonly<Record<string, AnyJobType>>;

/** A type whose payloads are kept outside their rows, as one process reaches their store. */
export const ladenType = (store: PayloadStore): JobType<WorkItem, WorkItem> =>
  defineJob('sim.laden', { payload: anyWorkItem, retry: 'R4/PT20S', codec: claimCheck({ store, above: 0 }) });

export type TypeName = keyof typeof JOB_TYPES;

/** The numbers of the limits that these types have in the code. */
export const CODED_NUMBERS: ReadonlyMap<string, number> = new Map(
  Object.values<AnyJobType>(JOB_TYPES).flatMap(({ limits }) => limits.map(({ name, n }) => [name, n] as const)),
);
