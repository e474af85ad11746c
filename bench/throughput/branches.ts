import { anyPayload } from '../frame/any-payload.ts';
import { randomUUID } from 'node:crypto';
import { startEventSource } from '../../local/event-source.ts';
import { createSharedProcessRuntime } from '../../local/shared-process-runtime.ts';
import { createJobClient } from '../../shared/client/create-job-client.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { systemClock } from '../../shared/adapters/system.ts';
import { defineJob, type HandledJob } from '../../shared/job/job-type.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createExecutor } from '../../functions/executor/create-executor.ts';
import { within } from '../frame/within.ts';
import type { Place } from './emulated.ts';

/** Seconds that branches took, and this process's own CPU time in them: that of producers, event source and executors, not that of the emulators. */
export interface BranchRun {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** An executor behind its event source that runs branches: ten jobs each, two of which sleep. */
export interface Branches {
  /** Starts this many branches at the same time and waits until their last job has ended. */
  run(branches: number, sleepMs: number): Promise<BranchRun>;
  stop(): Promise<void>;
}

const JOBS_PER_BRANCH = 10;
const EVERY_SLEEPS = 5;
const STOP_MS = 10_000;
/** Timeout beyond the sleep of its jobs; many times what all branches together take. */
const LATEST_MS = 120_000;

const step = defineJob('branch.step', { payload: anyPayload<{ readonly branch: string; readonly sleepMs: number }>() });

/** Starts them with a maximum number of concurrent executor invocations; the caller must stop them. */
export async function startBranches(place: Place, maxConcurrency: number): Promise<Branches> {
  const stepEnded = new Map<string, () => void>();
  const handlers = [
    step.handle(async ({ payload }) => {
      if (payload.sleepMs > 0) await systemClock.wait(payload.sleepMs);
      stepEnded.get(payload.branch)?.();
    }),
  ];
  const settings = resolveSettings();
  const sqs = createSqsClient({ endpoint: place.environment['AWS_ENDPOINT_URL_SQS'] ?? '' });
  const source = await startEventSource({
    sqs,
    queueUrl: place.queueUrl,
    runtime: executorRuntime(place, handlers, settings.executorMemoryMb),
    functionTimeoutMs: settings.executorTimeoutMs,
    batchSize: settings.batchSize,
    batchWindowMs: settings.batchWindowMs,
    maxConcurrency,
  });
  const client = createJobClient({ environment: place.environment });
  return {
    async run(branches, sleepMs) {
      const [startedAt, before] = [performance.now(), process.cpuUsage()];
      const ended = Array.from({ length: branches }, async () => {
        const branch = randomUUID();
        const payloads = Array.from({ length: JOBS_PER_BRANCH }, (_, n) => ({ branch, sleepMs: n % EVERY_SLEEPS === 0 ? sleepMs : 0 }));
        const done = new Promise<void>((resolve) => {
          let left = JOBS_PER_BRANCH;
          stepEnded.set(branch, () => void ((left -= 1) === 0 && resolve()));
        });
        const { failed } = await client.enqueueMany(step, payloads);
        if (failed.length > 0) throw new Error(`${failed.length} jobs of a branch were not enqueued.`, { cause: failed[0]?.error });
        // No sweeper runs here: a batch of hints that was lost would be waited for without end.
        await within(done, { ms: sleepMs + LATEST_MS, what: `the ${JOBS_PER_BRANCH} jobs of a branch` });
        stepEnded.delete(branch);
      });
      await Promise.all(ended);
      const { user, system } = process.cpuUsage(before);
      return { seconds: (performance.now() - startedAt) / 1_000, cpuSeconds: (user + system) / 1e6 };
    },
    async stop() {
      await source.stop(STOP_MS);
      sqs.destroy();
    },
  };
}

/** A sandbox with clients of its own for each invocation at the same time, as Lambda has them. */
function executorRuntime({ environment }: Place, handlers: readonly HandledJob[], memoryMb: number) {
  return createSharedProcessRuntime({
    name: 'executor',
    memoryMb,
    create: () => createExecutor(handlers, { environment }),
  });
}
