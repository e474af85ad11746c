import type { Bench } from '../frame/bench.ts';
import { startEmulated } from './emulated.ts';
import { measureAcquirer } from './measure-acquirer.ts';
import { measureBranches } from './measure-branches.ts';
import { measureEnqueue } from './measure-enqueue.ts';
import { measureHeap } from './measure-heap.ts';
import { measureSweeper } from './measure-sweeper.ts';

/** How much the parts get through that work on many rows at a time, whether branches wait for each other, and whether memory grows. */
export const benchThroughput: Bench = {
  name: 'throughput',
  what: 'enqueueMany, acquirer and sweeper against bare loops; parallel branches; memory over 50,000 jobs',
  figures: [
    ...['enqueueMany', 'acquirer', 'sweeper'].flatMap((part) => [`throughput.${part}`, `throughput.${part}.cpu`]),
    ...['', '.few', '.bound'].map((branches) => `throughput.branches${branches}`),
    ...['', '.used'].map((heap) => `throughput.heap${heap}`),
  ],
  async run(plan) {
    const emulated = await startEmulated();
    try {
      const enqueue = await measureEnqueue(plan, emulated, { from: 0, to: 0.08 });
      const acquirer = await measureAcquirer(plan, emulated, { from: 0.08, to: 0.2 });
      const sweeper = await measureSweeper(plan, emulated, { from: 0.2, to: 0.32 });
      const branching = await measureBranches(plan, emulated, { from: 0.32, to: 0.72 });
      const { measurements, heapMb } = await measureHeap(plan, emulated, { from: 0.72, to: 1 });
      return {
        measurements: [...enqueue, ...acquirer, ...sweeper, ...branching.measurements, ...measurements],
        details: { branches: branching.branches, heapMb },
        notes: [
          'The bare loops use the same concurrency, batch size and page size, with rows of the same attributes. They validate nothing and take no locks.',
          'The emulators limit the rates, so the table also has the CPU time of this process per item.',
          'A branch is ten jobs, two of which sleep for five seconds. Its time runs from the first enqueue to the end of the last job.',
          branching.note,
          'An invocation ends with its slowest job, so branches wait if there are more batches of ten messages than invocations.',
        ],
      };
    } finally {
      await emulated.stop();
    }
  },
};
