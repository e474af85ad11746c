import { type FunctionHandler, type FunctionOptions, lambdaHandler } from '../../shared/lambda/lambda-handler.ts';
import { PACKAGE_VERSION } from '../../shared/config/package-version.ts';
import { processSandbox, systemTraceparent } from '../../shared/adapters/system.ts';
import { isoDuration } from '../../shared/job/duration.ts';
import { InvalidConfigurationError, shown } from '../../shared/job/errors.ts';
import type { AnyJobType, HandledJob } from '../../shared/job/job-type.ts';
import { checkEachOption, type OptionChecks } from '../../shared/job/option-checks.ts';
import { CONNECTION_CHECKS } from '../../shared/ports/connection-checks.ts';
import { createJobLog } from '../../shared/adapters/observability/job-log.ts';
import { batchResponse, receivedHints, type SqsBatchResponse, type SqsEvent } from '../../shared/adapters/sqs/event.ts';
import { executeMessages } from './execute-messages.ts';
import { checkWorkers, configureExecutor, HANDLER_CHECKS, type HandlerOptions } from './configure-executor.ts';
import { createWorkerReporter, knownTypes } from './report-worker.ts';
import { ignoreWhileOff } from './receive.ts';

/** Options of an executor; all have defaults. */
export interface ExecutorOptions extends FunctionOptions, HandlerOptions {}

const CHECKS: OptionChecks<ExecutorOptions> = { ...CONNECTION_CHECKS, ...HANDLER_CHECKS };

/** The handler of an executor Lambda; a middy handler, so that `.use(...)` adds middleware around the whole invocation. */
export type ExecutorHandler = FunctionHandler<SqsEvent, SqsBatchResponse>;

/**
 * The executor Lambda of one worker. Settings are read and checked at the first invocation. Throws InvalidInputError for a wrong option, and
 * InvalidConfigurationError if two handlers have the same type, or a type's time limit exceeds Lambda's maximum timeout.
 */
export function createExecutor(handled: readonly HandledJob[], options: ExecutorOptions = {}): ExecutorHandler {
  checkEachOption(options, CHECKS);
  const { handlers, connect } = configureExecutor(handled, {
    log: (job) => createJobLog(job, options.tracing),
    sandbox: processSandbox,
    ...options,
  });
  for (const { type } of handlers.values()) checkTimeout(type);
  const reporter = createWorkerReporter({ kind: 'lambda', ...knownTypes(handlers), version: PACKAGE_VERSION });
  return lambdaHandler<SqsEvent, SqsBatchResponse>({
    ...options,
    service: 'executor',
    check: (deployment) => void checkWorkers(handlers, deployment),
    work: async (call, event) => {
      const { invocation, ...connected } = call;
      const ports = { ...connected, traceparent: systemTraceparent };
      const [deps, messages] = [{ ...connect(ports), reporter }, receivedHints(event, ports.deployment.workers)];
      return batchResponse((await ignoreWhileOff(deps, messages)) ?? (await executeMessages(deps, messages, invocation)));
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
