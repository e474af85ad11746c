import { type Call, type FunctionHandler, type FunctionOptions, lambdaFunction } from '../aws/lambda-function.ts';
import { type Deployment, ENVIRONMENT } from '../config/environment.ts';
import { processSandbox } from '../config/system.ts';
import { InvalidConfigurationError, InvalidInputError, MissingEnvironmentError, shown } from '../core/errors.ts';
import type { HandledJob, JobLog } from '../core/job-type.ts';
import { DEFAULT_RETRY, parseRetryPolicy, type RetryInput } from '../core/retry-policy.ts';
import { createJobLog } from '../observability/job-log.ts';
import type { JobRef } from '../ports/journal.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import { batchResponse, receivedHints, type SqsBatchResponse, type SqsEvent } from '../sqs/event.ts';
import { executeBatch } from './execute-batch.ts';
import type { Around, ExecutorParts } from './parts.ts';

/** Options of an executor; all have defaults. */
export interface ExecutorOptions extends FunctionOptions {
  /** Wraps each attempt, in order: the first is the outermost (Flowable's job processors and configurators). */
  readonly around?: readonly Around[];
  /** Policy for types that name none. Default: 3 tries, exponential with full jitter from 10 s. */
  readonly retry?: RetryInput;
  /** Errors that are retried without counting, besides DynamoDB's own optimistic-lock conflicts. */
  readonly isConflict?: (error: unknown) => boolean;
  /** Where handlers log. Default: Powertools, with the job's id, type and attempt in each line. */
  readonly log?: (job: JobRef) => JobLog;
  /** How the process ends when a handler outlives its attempt. Default: exit code 1. */
  readonly sandbox?: Sandbox;
}

/** The handler of an executor Lambda; a middy handler, so that `.use(...)` adds middleware around the whole batch. */
export type ExecutorHandler = FunctionHandler<SqsEvent, SqsBatchResponse>;

/**
 * The executor Lambda of one worker. Settings are read and checked at the first invocation. Throws InvalidConfigurationError
 * when two handlers name one type.
 */
export function createExecutor(handled: readonly HandledJob[], options: ExecutorOptions = {}): ExecutorHandler {
  const handlers = handlersByType(handled);
  const retry = options.retry === undefined ? DEFAULT_RETRY : parseRetryPolicy(options.retry);
  const partsOf = (call: Call): ExecutorParts => ({
    ...call,
    inbox: call.hints,
    sandbox: options.sandbox ?? processSandbox,
    handlers,
    around: options.around ?? [],
    retry,
    ...(options.isConflict === undefined ? {} : { isConflict: options.isConflict }),
    log: options.log ?? ((job) => createJobLog(job)),
  });
  return lambdaFunction<SqsEvent, SqsBatchResponse>({
    ...options,
    service: 'executor',
    check: (deployment) => checkWorkers(handlers, deployment),
    work: async (call, event) =>
      batchResponse(await executeBatch(partsOf(call), receivedHints(event, call.deployment.workers), call.invocation)),
  });
}

function handlersByType(handled: readonly HandledJob[]): ReadonlyMap<string, HandledJob> {
  if (!Array.isArray(handled)) throw new InvalidInputError('handlers', typeof handled, 'Give an array of jobType.handle(...).');
  const handlers = new Map<string, HandledJob>();
  for (const one of handled as readonly HandledJob[]) {
    if (typeof one?.handler !== 'function' || typeof one.type?.name !== 'string') {
      throw new InvalidInputError('handlers', typeof one, 'Give what jobType.handle(...) returns for each type.');
    }
    if (handlers.has(one.type.name)) throw new InvalidConfigurationError(`handlers: job type ${shown(one.type.name)} has two. Keep one.`);
    handlers.set(one.type.name, one);
  }
  return handlers;
}

/** A handler in the wrong worker would never be called: its jobs go to the queues of another. */
function checkWorkers(handlers: ReadonlyMap<string, HandledJob>, { worker }: Deployment): void {
  if (worker === undefined)
    throw new MissingEnvironmentError(ENVIRONMENT.worker, 'a worker of the JobExecutor construct with this file as its entry');
  for (const { type } of handlers.values()) {
    if (type.worker !== worker) {
      throw new InvalidConfigurationError(
        `handlers: job type ${shown(type.name)} belongs to worker ${shown(type.worker)}, this is ${shown(worker)}. ` +
          "Move the handler, or mend the type's worker.",
      );
    }
  }
}
