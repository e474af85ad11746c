import { GUARDED, JOB_TYPES, type WorkItem, type TypeName } from '../../simulation/workload/work-item-jobs.ts';
import type { JobClient } from '../../../../shared/client/job-client.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import type { Flow } from '../flow.ts';
import { workItemOf } from '../scripted-world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

interface One {
  readonly type?: TypeName;
  readonly workItem?: Partial<WorkItem>;
  readonly options?: Parameters<JobClient['enqueue']>[2];
  readonly jobs?: number;
}

/** Jobs wait in their queue; then the executors are observed until the jobs have ended. */
function executing(name: string, { type = 'usual', workItem = {}, options = {}, jobs = 1 }: One, more: Partial<Flow> = {}): Flow {
  return {
    name,
    observed: ['executor'],
    async script(stage) {
      stage.source.on = false;
      for (let job = 0; job < jobs; job++) await stage.enqueue(type, workItem, options);
      stage.observe();
    },
    ...more,
  };
}

/** Flows of executors: every outcome of an attempt, and its possible races. */
export const EXECUTING: readonly Flow[] = [
  executing('complete', {}),
  executing('complete-grouped', { workItem: { group: 'g' } }),
  executing('complete-two-of-a-group', { workItem: { group: 'g' }, jobs: 2 }),
  executing('complete-with-key', { options: { key: 'k' } }),
  executing('complete-durable-history', {}, { history: 'durable' }),
  executing('complete-neighbours', { jobs: 3 }),
  executing('complete-long', { workItem: { workMs: 12 * SECOND } }),
  executing('retry-soon', { workItem: { kind: 'flaky' } }),
  executing('retry-soon-grouped', { workItem: { kind: 'flaky', group: 'g' } }),
  executing('retry-later', { type: 'patient', workItem: { kind: 'flaky', times: 2 } }),
  executing('retry-after-timeout', { type: 'hurried', workItem: { kind: 'slow', delayMs: 20 * SECOND } }),
  executing('retry-of-a-stuck-handler', { type: 'hurried', workItem: { kind: 'stuck', delayMs: 20 * SECOND, group: 'g' } }),
  executing('conflict', { workItem: { kind: 'conflicting' } }),
  executing('snooze-soon', { workItem: { kind: 'snoozing', delayMs: 30 * SECOND } }),
  executing('snooze-later', { workItem: { kind: 'snoozing', delayMs: 25 * MINUTE } }),
  executing('snooze-before-a-neighbour', { workItem: { kind: 'snoozing', delayMs: 30 * SECOND, group: 'g' }, jobs: 2 }),
  executing('continue-before-a-neighbour', { workItem: { kind: 'continuing', group: 'g' }, jobs: 2 }),
  executing('give-back', {}, giveBack()),
  executing('bury-refused', { workItem: { kind: 'refused' } }),
  executing('bury-non-retryable-with-key', { workItem: { kind: 'hopeless', times: 0 }, options: { key: 'k' } }),
  executing('bury-exhausted', { type: 'patient', workItem: { kind: 'hopeless' }, options: { retry: 'R2/PT10S' } }),
  executing('crash-loop', { workItem: { kind: 'poison' } }, { settings: { crashLimit: 1 }, observed: ['executor', 'sweeper'] }),
  executing('complete-and-cancel', {}, cancelling()),
  executing('expire', {}, tooLate()),
  executing('expire-as-dead-letter', {}, tooLateInBatch()),
  executing('enqueue-from-a-handler', { workItem: { kind: 'parent', generations: 1 } }),
  executing('other-worker', { type: 'elsewhere', workItem: { group: 'g' } }),
];

/** A long job and then one that wants most of an invocation, one after the other: the second has too little time left. */
function giveBack(): Partial<Flow> {
  return {
    settings: { executorTimeoutMs: 30_000, batchConcurrency: 1 },
    race: true,
    async script(stage) {
      stage.source.on = false;
      await stage.enqueue('usual', { workMs: 22 * SECOND });
      await stage.enqueue('hurried', {});
      stage.observe();
    },
  };
}

/** A timer, and a job whose completion cancels it by its key. */
function cancelling(): Partial<Flow> {
  return {
    async script(stage) {
      stage.source.on = false;
      await stage.enqueue('usual', {}, { delay: 60 * MINUTE, key: `${GUARDED}k` });
      await stage.enqueue('usual', { kind: 'guarding', times: 0, cancels: `${GUARDED}k` });
      stage.observe();
    },
  };
}

/** A job with a key that its executor receives too late. */
function tooLate(): Partial<Flow> {
  return {
    async script(stage) {
      stage.source.on = false;
      await stage.enqueue('usual', {}, { startWithin: MINUTE, key: 'k' });
      await stage.pass(2 * MINUTE);
      stage.observe();
    },
  };
}

/** The last child of a batch, with a key, that its executor receives too late and whose type then wants a dead letter. */
function tooLateInBatch(): Partial<Flow> {
  return {
    async script(stage) {
      stage.source.on = false;
      await stage.asClient(async (client) => {
        const batch = await client.createBatch({ onFailed: followUp(JOB_TYPES.usual, workItemOf({ tells: 'failed' })) });
        const { id } = await batch.enqueue(JOB_TYPES.overdue, workItemOf({}), { key: 'k' });
        stage.world.checks.accept(id);
        await batch.seal();
      });
      await stage.pass(MINUTE);
      stage.observe();
    },
  };
}
