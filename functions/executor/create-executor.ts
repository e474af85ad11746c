import { type FunctionHandler, type FunctionOptions, lambdaFunction } from '../../shared/lambda/lambda-function.ts';
import { PACKAGE_VERSION } from '../../shared/config/package-version.ts';
import { processSandbox } from '../../shared/config/system.ts';
import { isoDuration } from '../../shared/core/duration.ts';
import { InvalidConfigurationError, shown } from '../../shared/core/errors.ts';
import type { AnyJobType, HandledJob } from '../../shared/core/job-type.ts';
import { createJobLog } from '../../shared/adapters/observability/job-log.ts';
import { batchResponse, receivedHints, type SqsBatchResponse, type SqsEvent } from '../../shared/adapters/sqs/event.ts';
import { executeBatch } from './execute-batch.ts';
import { checkWorkers, executorDeps, type HandlerOptions } from './executor-deps.ts';
import { createWorkerReporter } from './report-worker.ts';

/** Options of an executor; all have defaults. */
export interface ExecutorOptions extends FunctionOptions, HandlerOptions {}

/** The handler of an executor Lambda; a middy handler, so that `.use(...)` adds middleware around the whole batch. */
export type ExecutorHandler = FunctionHandler<SqsEvent, SqsBatchResponse>;

/**
 * The executor Lambda of one worker. Settings are read and checked at the first invocation. Throws InvalidConfigurationError
 * when two handlers name one type, or a type's time limit is longer than Lambda lets a function run.
 */
export function createExecutor(handled: readonly HandledJob[], options: ExecutorOptions = {}): ExecutorHandler {
  const { handlers, over } = executorDeps(handled, { log: (job) => createJobLog(job), sandbox: processSandbox, ...options });
  for (const { type } of handlers.values()) checkTimeout(type);
  const reporter = createWorkerReporter({ kind: 'lambda', types: [...handlers.keys()], version: PACKAGE_VERSION });
  return lambdaFunction<SqsEvent, SqsBatchResponse>({
    ...options,
    service: 'executor',
    check: (deployment) => void checkWorkers(handlers, deployment),
    work: async (call, event) => {
      const { invocation, ...ports } = call;
      return batchResponse(await executeBatch({ ...over(ports), reporter }, receivedHints(event, ports.deployment.workers), invocation));
    },
  });
}

const LAMBDA_LIMIT_MS = 15 * 60_000;

function checkTimeout({ name, timeoutMs = 0 }: AnyJobType): void {
  if (timeoutMs <= LAMBDA_LIMIT_MS) return;
  throw new InvalidConfigurationError(
    `handlers: job type ${shown(name)} has a timeout of ${isoDuration(timeoutMs)}; Lambda ends an invocation after ${isoDuration(LAMBDA_LIMIT_MS)}. ` +
      'Use a shorter one with continueWith(state), or a worker outside Lambda.',
  );
}
