import type { BatchOptions } from '../../../../shared/features/batches/client/batch-options.ts';
import type { BatchCallback } from '../../../../shared/features/batches/model/batch-progress.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import type { FollowUp } from '../../../../shared/job/job-type.ts';
import { type WorkItem, JOB_TYPES } from '../../simulation/workload/work-item-jobs.ts';
import type { Flow, Stage } from '../flow.ts';
import { workItemOf } from '../scripted-world.ts';

const SECOND = 1_000;
const tells = (name: BatchCallback): FollowUp => followUp(JOB_TYPES.usual, workItemOf({ tells: name }));
const CALLBACKS: BatchOptions = { onCompleted: tells('completed'), onFailed: tells('failed'), expected: 2 };

async function enqueueBatch(stage: Stage, workItems: readonly Partial<WorkItem>[]): Promise<void> {
  await stage.asClient(async (client) => {
    const { ids } = await client.enqueueBatch(JOB_TYPES.usual, workItems.map(workItemOf), CALLBACKS);
    for (const id of ids) if (id !== undefined) stage.world.checks.accept(id);
  });
}

/** Children wait in their queue; then the executors are observed, and every process that settles the batch. */
function ending(name: string, workItems: readonly Partial<WorkItem>[]): Flow {
  return {
    name,
    observed: ['executor'],
    async script(stage) {
      stage.source.on = false;
      await enqueueBatch(stage, workItems);
      stage.observe();
    },
  };
}

/** One job that does more than run and end. */
function running(name: string, workItem: Partial<WorkItem>): Flow {
  return {
    name,
    observed: ['executor'],
    async script(stage) {
      stage.source.on = false;
      await stage.enqueue('usual', workItem);
      stage.observe();
    },
  };
}

/** Batches from their first child to their last callback, follow-ups, and runs that continue in another one. */
export const BATCHING: readonly Flow[] = [
  {
    name: 'batch-enqueue',
    observed: ['client'],
    async script(stage) {
      stage.observe();
      await enqueueBatch(stage, [{}, {}]);
    },
  },
  {
    name: 'batch-seal-when-all-have-ended',
    observed: ['client', 'sweeper'],
    async script(stage) {
      const id = await stage.asClient(async (client) => {
        const batch = await client.createBatch(CALLBACKS);
        stage.world.checks.accept((await batch.enqueue(JOB_TYPES.usual, workItemOf({}))).id);
        return batch.id;
      });
      await stage.until(() => stage.count('finished') === 1);
      stage.observe();
      await stage.asClient((client) => client.sealBatch(String(id)));
    },
  },
  ending('batch-end', [{}, {}]),
  ending('batch-end-with-a-failure', [{ kind: 'refused' }, {}]),
  ending('batch-end-of-a-child-that-adds-some', [{ kind: 'joining', generations: 1 }]),
  {
    name: 'batch-cancel',
    observed: ['client', 'executor'],
    async script(stage) {
      stage.source.on = false;
      const id = await stage.asClient(async (client) => (await client.enqueueBatch(JOB_TYPES.usual, [workItemOf({})], CALLBACKS)).id);
      stage.observe();
      await stage.asClient((client) => client.cancelBatch(String(id)));
    },
  },
  running('complete-with-follow-ups', { kind: 'joining', generations: 1 }),
  running('continue', { kind: 'continuing', times: 2 }),
  running('progress', { kind: 'long', workMs: 3 * SECOND }),
];
