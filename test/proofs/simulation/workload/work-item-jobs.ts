import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type AnyJobType, defineJob } from '../../../../shared/core/job-type.ts';
import { defineLimit } from '../../../../shared/core/limit.ts';

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
    | 'joining';
  readonly workMs: number;
  /** How often it fails, snoozes or meets a conflict before it goes well. */
  readonly times: number;
  readonly delayMs: number;
  readonly group?: string;
  /** What its limits tell it apart by. */
  readonly limitKey?: string;
  /** How many generations of jobs it enqueues. */
  readonly generations: number;
  /** Of a batch's callback: what it tells. */
  readonly tells?: string;
}

const anyWorkItem: StandardSchemaV1<WorkItem> = {
  '~standard': { version: 1, vendor: 'simulation', validate: (value) => ({ value: value as WorkItem }) },
};

const group = (workItem: WorkItem): string | undefined => workItem.group;

const pair = defineLimit('pair', { concurrency: 2 });
const oneEach = defineLimit('one-each', { concurrency: 1 }, { key: (workItem: WorkItem) => workItem.limitKey });
const thrice = defineLimit('thrice', { rate: 3, per: 'PT1M' });
const once = defineLimit('once', { rate: 1, per: 'PT20S' }, { key: (workItem: WorkItem) => workItem.limitKey });

/** The types of the simulated jobs. `later` is known to the newer version of the executor only; `elsewhere` belongs to another worker. */
export const JOB_TYPES = {
  usual: defineJob('sim.usual', { payload: anyWorkItem, group, retry: 'R4/PT20S' }),
  patient: defineJob('sim.patient', { payload: anyWorkItem, group, retry: 'PT1M,PT20M' }),
  hurried: defineJob('sim.hurried', { payload: anyWorkItem, group, retry: 'R3/PT5S', timeout: 'PT5S' }),
  later: defineJob('sim.later', { payload: anyWorkItem, group }),
  elsewhere: defineJob('sim.elsewhere', { payload: anyWorkItem, group, worker: 'other', retry: 'R4/PT20S' }),
  limited: defineJob('sim.limited', { payload: anyWorkItem, group, limits: [pair, oneEach], retry: 'R4/PT20S' }),
  rated: defineJob('sim.rated', { payload: anyWorkItem, group, limits: [pair, thrice, once], retry: 'R4/PT20S' }),
  abroad: defineJob('sim.abroad', { payload: anyWorkItem, worker: 'other', limits: [pair, thrice], retry: 'R4/PT20S' }),
} as const satisfies Readonly<Record<string, AnyJobType>>;

export type TypeName = keyof typeof JOB_TYPES;
