import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload } from '../frame/any-payload.ts';
import { startBenchRegion } from '../emulators/bench-region.ts';
import { spreadOf } from '../frame/spread.ts';
import { within } from '../frame/within.ts';

/** A deployment whose jobs come one at a time. */
export interface LoneJobs {
  /** Milliseconds from enqueueing to the handler's start, the median of this many jobs. */
  wait(jobs: number): Promise<number>;
  stop(): Promise<void>;
}

const LATEST_MS = 30_000;

/** Such a deployment on emulators, with a batching window. */
export async function startLoneJobs(batchWindowMs: number): Promise<LoneJobs> {
  let started: () => void = () => {};
  const lone = defineJob('tuning.lone', { payload: anyPayload<{ n: number }>() });
  const { client, stop } = await startBenchRegion([lone.handle(() => started())], { tickMs: 0, settings: { batchWindowMs } });
  return {
    stop,
    async wait(jobs) {
      const waits: number[] = [];
      for (let n = 0; n < jobs; n++) {
        const from = performance.now();
        const ran = new Promise<void>((resolve) => (started = resolve));
        await client.enqueue(lone, { n });
        // No sweeper runs here: a hint that was lost would be waited for without end.
        await within(ran, { ms: LATEST_MS, what: 'a lone job to start' });
        waits.push(performance.now() - from);
      }
      return spreadOf(waits).median;
    },
  };
}
