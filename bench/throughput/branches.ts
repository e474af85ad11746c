import { randomUUID } from 'node:crypto';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { startEventSource } from '../../local/event-source.ts';
import { createSharedProcessRuntime } from '../../local/shared-process-runtime.ts';
import { createJobClient } from '../../shared/client/create-job-client.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { systemClock } from '../../shared/config/system.ts';
import { followUp } from '../../shared/core/enqueue-options.ts';
import { defineJob, type HandledJob } from '../../shared/core/job-type.ts';
import { createSqsClient } from '../../shared/sqs/client.ts';
import { createExecutor } from '../../shared/worker/create-executor.ts';
import type { Place } from './emulated.ts';

/** An executor of a place behind its event source, which runs branches: batches of ten jobs, two of which sleep, with a callback that joins them. */
export interface Branches {
  /** Starts so many branches at the same time; gives back the seconds until the join of the last one began. */
  run(branches: number, sleepMs: number): Promise<number>;
  stop(): Promise<void>;
}

const JOBS_PER_BRANCH = 10;
const EVERY_SLEEPS = 5;
const STOP_MS = 10_000;

const step = defineJob('branch.step', { payload: schemaOf<{ readonly sleepMs: number }>() });
const join = defineJob('branch.join', { payload: schemaOf<{ readonly branch: string }>() });

/** Starts them with so many invocations of the executor at the same time at most; whoever starts them stops them. */
export async function startBranches(place: Place, maxConcurrency: number): Promise<Branches> {
  const joins = new Map<string, () => void>();
  const handlers = [
    step.handle(({ payload }) => (payload.sleepMs === 0 ? undefined : systemClock.wait(payload.sleepMs))),
    join.handle(({ payload }) => joins.get(payload.branch)?.()),
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
      const payloads = Array.from({ length: JOBS_PER_BRANCH }, (_, n) => ({ sleepMs: n % EVERY_SLEEPS === 0 ? sleepMs : 0 }));
      const startedAt = performance.now();
      const ended = Array.from({ length: branches }, async () => {
        const branch = randomUUID();
        const joined = new Promise<void>((resolve) => void joins.set(branch, resolve));
        const { failed } = await client.enqueueBatch(step, payloads, { onCompleted: followUp(join, { branch }) });
        if (failed.length > 0) throw new Error(`${failed.length} jobs of a branch were not enqueued.`, { cause: failed[0]?.error });
        await joined;
        joins.delete(branch);
      });
      await Promise.all(ended);
      return (performance.now() - startedAt) / 1_000;
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

function schemaOf<Payload>(): StandardSchemaV1<Payload> {
  return { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value: value as Payload }) } };
}
