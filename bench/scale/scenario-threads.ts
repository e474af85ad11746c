import { availableParallelism, totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { RunFigures } from './figures.ts';

/** One run of one scenario. */
export interface ScaleRun {
  readonly name: string;
  readonly size: number;
}

/** Concurrent runs, even on a larger machine: the expected time is that of two cores. */
const THREADS = Math.min(2, availableParallelism());
const MEGABYTE = 2 ** 20;
/** Of the machine's memory, for all threads together. */
const MEMORY_SHARE = 0.8;
const YOUNG_MB = 96;

/** Does the runs in threads, which may use more memory than a process has by default, in order; rethrows a scenario's error. */
export async function runInThreads(runs: readonly ScaleRun[], onRun: (run: ScaleRun) => void): Promise<readonly RunFigures[]> {
  const idle: Worker[] = [];
  const started = new Set<Worker>();
  try {
    return await mapLimited(runs, THREADS, async (run) => {
      onRun(run);
      const worker = idle.pop() ?? start();
      started.add(worker);
      const figures = await ask(worker, run);
      idle.push(worker);
      return figures;
    });
  } finally {
    await Promise.all([...started].map((worker) => worker.terminate()));
  }
}

function start(): Worker {
  return new Worker(new URL('./scenario-thread.ts', import.meta.url), {
    resourceLimits: {
      maxOldGenerationSizeMb: Math.round((totalmem() / MEGABYTE / THREADS) * MEMORY_SHARE),
      maxYoungGenerationSizeMb: YOUNG_MB,
    },
  });
}

function ask(worker: Worker, run: ScaleRun): Promise<RunFigures> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number): void => reject(new Error(`The thread of ${run.name} ended with code ${code} and without figures.`));
    worker.once('error', reject);
    worker.once('exit', onExit);
    worker.once('message', (figures: RunFigures) => {
      worker.off('error', reject);
      worker.off('exit', onExit);
      resolve(figures);
    });
    // A second argument shows linters that this is not a window.
    worker.postMessage(run, []);
  });
}
