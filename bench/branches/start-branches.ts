import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startEventSource } from '../../local/event-source.ts';
import { separateProcesses } from '../../local/function-placement.ts';
import { createJobClient } from '../../shared/client/create-job-client.ts';
import { resolveSettings } from '../../shared/config/settings.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { within } from '../frame/within.ts';
import type { Emulated } from '../throughput/emulated.ts';
import { allTasks, joined, oneTask, runOfLine, type TaskKind } from './tasks.ts';

/** How the tasks of a run are done. */
export type Mode = 'in turn' | 'at once' | 'a job each' | 'a batch';

/** An executor whose sandboxes are processes, which does ten tasks in any mode. */
export interface Branches {
  /** Does so many tasks; the seconds from the enqueue until the last of them, or the batch's callback, has ended. */
  run(mode: Mode, kind: TaskKind, size: number): Promise<number>;
  stop(): Promise<void>;
}

export const TASKS = 10;
const SANDBOXES = 20;
const STOP_MS = 10_000;
const LATEST_MS = 120_000;

/** Starts it with so many messages for one invocation at most; whoever starts it stops it. */
export async function startBranches(emulated: Emulated, batchSize: number): Promise<Branches> {
  const place = await emulated.place({ batchSize });
  const settings = resolveSettings({ batchSize });
  const waiting = new Map<string, () => void>();
  const placement = separateProcesses((line) => waiting.get(runOfLine(line) ?? '')?.());
  const sqs = createSqsClient({ endpoint: place.environment['AWS_ENDPOINT_URL_SQS'] ?? '' });
  const source = await startEventSource({
    sqs,
    queueUrl: place.queueUrl,
    runtime: placement.start({
      name: 'executor',
      memoryMb: settings.executorMemoryMb,
      entry: join(import.meta.dirname, 'worker.ts'),
      environment: place.environment,
      banner: false,
    }),
    functionTimeoutMs: settings.executorTimeoutMs,
    batchSize,
    maxConcurrency: SANDBOXES,
  });
  const client = createJobClient({ environment: place.environment });
  const enqueue = async (mode: Mode, run: string, task: { readonly kind: TaskKind; readonly size: number }): Promise<void> => {
    const each = Array.from({ length: TASKS }, () => ({ run: mode === 'a batch' ? 'not awaited' : run, ...task }));
    if (mode === 'a job each') await client.enqueueMany(oneTask, each);
    else if (mode === 'a batch') await client.enqueueBatch(oneTask, each, { onCompleted: followUp(joined, { run }) });
    else await client.enqueue(allTasks, { run, ...task, tasks: TASKS, atOnce: mode === 'at once' });
  };
  return {
    async run(mode, kind, size) {
      const run = randomUUID();
      let left = mode === 'a job each' ? TASKS : 1;
      const done = new Promise<void>((resolve) => void waiting.set(run, () => void ((left -= 1) === 0 && resolve())));
      const startedAt = performance.now();
      await enqueue(mode, run, { kind, size });
      // No sweeper runs here: a job whose message was lost would be waited for without end.
      await within(done, { ms: LATEST_MS, what: `${TASKS} tasks, ${mode}` });
      waiting.delete(run);
      return (performance.now() - startedAt) / 1_000;
    },
    async stop() {
      await source.stop(STOP_MS);
      await placement.stop();
      sqs.destroy();
    },
  };
}
