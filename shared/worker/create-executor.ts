import middy, { type MiddyfiedHandler } from '@middy/core';
import { type AwsClients, connectAws, createAwsClients, invocationOf, type LambdaContext } from '../aws/connect.ts';
import { type Deployment, decodeEnvironment } from '../config/environment.ts';
import { processSandbox, systemClock, systemEntropy, systemEnvironment } from '../config/system.ts';
import { InvalidConfigurationError, shown } from '../core/errors.ts';
import type { HandledJob, JobLog } from '../core/job-type.ts';
import { DEFAULT_RETRY, parseRetryPolicy, type RetryInput } from '../core/retry-policy.ts';
import { createJobLog } from '../observability/job-log.ts';
import { createPowertoolsJournal } from '../observability/powertools-journal.ts';
import type { Journal, JobRef } from '../ports/journal.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import { batchResponse, receivedHints, type SqsBatchResponse, type SqsEvent } from '../sqs/event.ts';
import { executeBatch } from './execute-batch.ts';
import type { Around, ExecutorParts } from './parts.ts';

/** Options of an executor; all have defaults. */
export interface ExecutorOptions {
  /** Wraps each attempt, in order: the first is the outermost (Flowable's job processors and configurators). */
  readonly around?: readonly Around[];
  /** Policy for types that name none. Default: 3 tries, exponential with full jitter from 10 s. */
  readonly retry?: RetryInput;
  /** Errors that are retried without counting, besides DynamoDB's own optimistic-lock conflicts. */
  readonly isConflict?: (error: unknown) => boolean;
  /** Default: the process's environment, as the JobExecutor construct sets it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly journal?: Journal;
  readonly log?: (job: JobRef) => JobLog;
  /** How the process ends when a handler outlives its attempt. Default: exit code 1. */
  readonly sandbox?: Sandbox;
}

/** The handler of an executor Lambda; a middy handler, so that `.use(...)` adds middleware around the whole batch. */
export type ExecutorHandler = MiddyfiedHandler<SqsEvent, SqsBatchResponse, Error>;

/**
 * The executor Lambda of one worker. Settings are read and checked at the first invocation. Throws InvalidConfigurationError
 * when two handlers name one type.
 */
export function createExecutor(handled: readonly HandledJob[], options: ExecutorOptions = {}): ExecutorHandler {
  const handlers = handlersByType(handled);
  const retry = options.retry === undefined ? DEFAULT_RETRY : parseRetryPolicy(options.retry);
  let started: { deployment: Deployment; clients: AwsClients } | undefined;
  const run = async (event: SqsEvent, context: LambdaContext): Promise<SqsBatchResponse> => {
    started ??= start(handlers, options);
    const { deployment, clients } = started;
    const invocation = invocationOf(context, systemClock);
    const parts = partsOf({ handlers, retry, options, deployment, clients }, invocation.deadlineAt);
    try {
      return batchResponse(await executeBatch(parts, receivedHints(event, deployment.workers), invocation));
    } finally {
      parts.journal.flush();
    }
  };
  // middy's early timeout would answer for handlers that still run; ours aborts, records and ends the sandbox.
  return middy({ timeoutEarlyInMillis: 0 }).handler(run as never) as unknown as ExecutorHandler;
}

function handlersByType(handled: readonly HandledJob[]): ReadonlyMap<string, HandledJob> {
  const handlers = new Map<string, HandledJob>();
  for (const one of handled) {
    if (handlers.has(one.type.name)) throw new InvalidConfigurationError(`handlers: job type ${shown(one.type.name)} has two. Keep one.`);
    handlers.set(one.type.name, one);
  }
  return handlers;
}

function start(handlers: ReadonlyMap<string, HandledJob>, options: ExecutorOptions): { deployment: Deployment; clients: AwsClients } {
  const deployment = decodeEnvironment(options.environment ?? systemEnvironment());
  for (const { type } of handlers.values()) {
    if (deployment.worker !== undefined && type.worker !== deployment.worker) {
      throw new InvalidConfigurationError(
        `handlers: job type ${shown(type.name)} belongs to worker ${shown(type.worker)}, this is ${shown(deployment.worker)}. Move the handler, or mend the type's worker.`,
      );
    }
  }
  return { deployment, clients: createAwsClients(options.environment) };
}

interface Wiring {
  readonly handlers: ReadonlyMap<string, HandledJob>;
  readonly retry: ExecutorParts['retry'];
  readonly options: ExecutorOptions;
  readonly deployment: Deployment;
  readonly clients: AwsClients;
}

function partsOf(wiring: Wiring, deadlineAt: number): ExecutorParts {
  const { handlers, retry, options, deployment, clients } = wiring;
  const [clock, entropy] = [systemClock, systemEntropy];
  const { tables, hints } = connectAws(clients, deployment, { clock, entropy, deadlineAt });
  const worker = deployment.worker === undefined ? {} : { worker: deployment.worker };
  return {
    deployment,
    tables,
    hints,
    inbox: hints,
    journal: options.journal ?? createPowertoolsJournal({ metrics: deployment.metrics, service: 'executor', ...worker }),
    clock,
    entropy,
    sandbox: options.sandbox ?? processSandbox,
    handlers,
    around: options.around ?? [],
    retry,
    ...(options.isConflict === undefined ? {} : { isConflict: options.isConflict }),
    log: options.log ?? ((job) => createJobLog(job)),
  };
}
