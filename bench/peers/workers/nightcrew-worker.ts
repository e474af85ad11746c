import { startEventSource } from '../../../local/event-source.ts';
import { createSharedProcessRuntime } from '../../../local/shared-process-runtime.ts';
import { createAwsClients } from '../../../shared/lambda/connect.ts';
import { decodeEnvironment } from '../../../shared/config/environment.ts';
import { createExecutor } from '../../../functions/executor/create-executor.ts';
import { noopJob } from '../noop-job.ts';
import { noop, workOnCommand } from './work-on-command.ts';

const { settings, workers } = decodeEnvironment(process.env);
const queueUrl = workers.get('default')?.lanes['default'] ?? '';
const { sqs } = createAwsClients(process.env);
const runtime = createSharedProcessRuntime({
  name: 'executor',
  memoryMb: settings.executorMemoryMb,
  create: () => createExecutor([noopJob.handle(async () => noop())]),
});

workOnCommand(async () => {
  const source = await startEventSource({
    sqs,
    queueUrl,
    runtime,
    functionTimeoutMs: settings.executorTimeoutMs,
    batchSize: settings.batchSize,
    batchWindowMs: settings.batchWindowMs,
    maxConcurrency: settings.maxConcurrency,
  });
  return async () => void (await source.stop(5_000));
});
