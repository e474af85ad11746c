import { join } from 'node:path';
import { ENVIRONMENT, type MetricsMode } from '../../shared/config/environment.ts';
import { boundFork } from '../../test/support/bound-fork.ts';
import type { BenchPlan } from '../frame/bench.ts';
import { measured, type Measurement } from '../frame/measurement.ts';
import { putItems } from './bare-enqueue.ts';
import { bareReady } from './bare-row.ts';
import type { Emulated } from './emulated.ts';
import type { HeapAnswer, HeapOrder } from './heap-executor.ts';
import { growthPer } from './heap-growth.ts';
import { orders } from './orders.ts';
import type { Part } from './per-second.ts';

const EXECUTOR = join(import.meta.dirname, 'heap-executor.ts');
const [FULL_JOBS, SHORT_JOBS] = [50_000, 250];
const LOOKS = 5;
const PER_JOBS = 10_000;
const SLICES_PER_LOOK = 10;
/** Every other slice is a single delivery instead, as one with a batching window can be. */
const SMALL_DELIVERY = 10;
const MB = 2 ** 20;
/** A leak of ten bytes a job. */
const TARGET = { at: 'most', value: 100 } as const;

/** The heap of one executor process after each fifth of 50,000 jobs, and by how much it grows. */
export async function measureHeap(
  plan: BenchPlan,
  emulated: Emulated,
  part: Part,
): Promise<{ readonly measurements: readonly Measurement[]; readonly heapMb: readonly number[] }> {
  const jobs = plan.short ? SHORT_JOBS : FULL_JOBS;
  const { names, queueUrl, environment } = await emulated.place();
  const arn = `arn:aws:sqs:us-east-1:000000000000:${queueUrl.slice(queueUrl.lastIndexOf('/') + 1)}`;
  // With the metrics of a deployment: their memory must not grow either; their output is discarded.
  const env = { ...process.env, ...environment, [ENVIRONMENT.metrics]: 'worker' satisfies MetricsMode };
  const child = boundFork(EXECUTOR, [], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ask = (order: HeapOrder): Promise<HeapAnswer> =>
    new Promise((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`the executor ended with ${code}`));
      child.once('exit', ended);
      child.once('message', (answer) => {
        child.removeListener('exit', ended);
        resolve(answer as HeapAnswer);
      });
      child.send(order);
    });
  const run = async (count: number, { delivery, look }: Pick<HeapOrder, 'delivery' | 'look'>): Promise<HeapAnswer> => {
    const rows = orders(count).map((one) => bareReady(one, Date.now()));
    await putItems(emulated.bare, names.jobs, rows);
    return ask({ ids: rows.map(({ id }) => id?.S ?? ''), arn, delivery, look });
  };
  const slice = jobs / LOOKS / SLICES_PER_LOOK;
  const heap: { readonly jobs: number; readonly bytes: number }[] = [];
  try {
    for (let n = 1; n <= LOOKS * SLICES_PER_LOOK; n += 1) {
      plan.progress(part.from + ((part.to - part.from) * n) / (LOOKS * SLICES_PER_LOOK), `${(n * slice).toLocaleString('en-US')} jobs`);
      const delivery = n % 2 === 0 ? slice : SMALL_DELIVERY;
      const { ran, heapUsed } = await run(slice, { delivery, look: n % SLICES_PER_LOOK === 0 });
      if (ran !== n * slice) throw new Error(`${ran} of ${n * slice} jobs ran.`);
      if (heapUsed !== undefined) heap.push({ jobs: ran, bytes: heapUsed });
    }
  } finally {
    child.kill('SIGKILL');
  }
  const grew = growthPer(PER_JOBS, heap).map((bytes) => bytes / 1_024);
  const what = `heap of the executor with its metrics over ${jobs.toLocaleString('en-US')} jobs, in deliveries of ${SMALL_DELIVERY} and of ${slice.toLocaleString('en-US')}, growth`;
  return {
    measurements: [
      measured({ id: 'throughput.heap', what, unit: 'KB per 10,000', target: TARGET }, grew),
      measured(
        { id: 'throughput.heap.used', what: 'heap of the executor after a forced collection', unit: 'MB' },
        heap.map(({ bytes }) => bytes / MB),
      ),
    ],
    heapMb: heap.map(({ bytes }) => Math.round((bytes / MB) * 100) / 100),
  };
}
