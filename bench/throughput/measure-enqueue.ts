import { createJobClient } from '../../shared/client/create-job-client.ts';
import type { BenchPlan } from '../frame/bench.ts';
import { interleave } from '../frame/interleave.ts';
import type { Measurement } from '../frame/measurement.ts';
import { enqueueBare } from './bare-enqueue.ts';
import type { Emulated } from './emulated.ts';
import { order, orders } from './orders.ts';
import { paceLines, paceOf, type Part } from './per-second.ts';

const [FULL_JOBS, SHORT_JOBS] = [2_000, 100];

/** Jobs a second that `enqueueMany` takes, against a bare loop of batches with the same parallelism and the same rows. */
export async function measureEnqueue(plan: BenchPlan, emulated: Emulated, part: Part): Promise<readonly Measurement[]> {
  const payloads = orders(plan.short ? SHORT_JOBS : FULL_JOBS);
  const [mine, theirs] = [await emulated.place(), await emulated.place()];
  const client = createJobClient({ environment: mine.environment });
  const rounds = await interleave(
    plan,
    {
      ours: async () => {
        const pace = await paceOf(payloads.length, async () => {
          const { enqueued } = await client.enqueueMany(order, payloads);
          if (enqueued !== payloads.length) throw new Error(`${enqueued} of ${payloads.length} jobs were enqueued.`);
        });
        await emulated.purge(mine);
        return pace;
      },
      bare: async () => {
        const pace = await paceOf(payloads.length, async () => enqueueBare(emulated.bare, theirs, payloads));
        await emulated.purge(theirs);
        return pace;
      },
    },
    { ...part, label: 'enqueueMany' },
  );
  const baselineName = 'BatchWriteItem and SendMessageBatch in a loop';
  return paceLines({ id: 'throughput.enqueueMany', what: 'enqueueMany', item: 'job', baselineName }, rounds);
}
