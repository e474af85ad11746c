import { type Deployment, ENVIRONMENT } from '../../shared/config/environment.ts';
import { defined } from '../../shared/core/defined.ts';
import { InvalidConfigurationError, InvalidInputError, kindOf, MissingEnvironmentError, shown } from '../../shared/core/errors.ts';
import type { HandledJob, JobLog, RetryFor } from '../../shared/core/job-type.ts';
import { DEFAULT_RETRY, parseRetryPolicy, type RetryInput } from '../../shared/core/retry-policy.ts';
import type { HintSender, Inbox } from '../../shared/ports/hints.ts';
import type { JobRef } from '../../shared/ports/journal.ts';
import type { Sandbox } from '../../shared/ports/sandbox.ts';
import type { OnSession } from './session.ts';
import type { Around, ExecutorDeps, OnError } from './deps.ts';
import { createRulesCache } from './rules-cache.ts';
import { type LimitOptionsOfWorker, workerLimits } from './worker-limits.ts';

/** How handlers run, in Lambda or outside. All options have defaults. */
export interface HandlerOptions extends LimitOptionsOfWorker {
  /** Wraps each attempt, the first entry outermost. Like Flowable's job processors and configurators. */
  readonly around?: readonly Around[];
  /** Retry policy of types that have none. Default: 3 tries, exponential with full jitter from 10 s. */
  readonly retry?: RetryInput;
  /**
   * Called first for each error that an attempt threw. Return a verdict, such as `snooze('PT1H')` or `fail(reason)`, or undefined to
   * apply the retry policy. If it throws, it is ignored and counted. Like Flowable's exception handlers.
   */
  readonly onError?: OnError;
  /** Chooses a policy by error, for types that have none. Return undefined to leave it to `retry`. */
  readonly retryFor?: RetryFor;
  /** Recognizes further errors that are retried without counting, besides DynamoDB's own optimistic-lock conflicts. */
  readonly isConflict?: (error: unknown) => boolean;
  /** Makes the logger of a job. Default: Powertools, with the job's id, type and attempt in each line. */
  readonly log?: (job: JobRef) => JobLog;
  /** Called when an attempt has ended, with all that it logged and did. If it throws, it is ignored and counted. Like Flowable's logging session. */
  readonly onSession?: OnSession;
  /** Ends the process if a handler outlives its attempt. Default: exit code 1. */
  readonly sandbox?: Sandbox;
}

/** The ports that handlers are run with. */
export type ExecutorPorts = Pick<
  ExecutorDeps,
  'deployment' | 'tables' | 'journal' | 'clock' | 'entropy' | 'errorGroups' | 'flushEvents'
> & {
  readonly hints: HintSender & Inbox;
};

/** Checks handlers and options once, and gives what makes the dependencies of each call. Throws InvalidConfigurationError when two handlers name one type. */
export function executorDeps(
  handled: readonly HandledJob[],
  options: HandlerOptions & Required<Pick<HandlerOptions, 'log' | 'sandbox'>>,
): { readonly handlers: ReadonlyMap<string, HandledJob>; readonly over: (ports: ExecutorPorts) => ExecutorDeps } {
  const handlers = handlersByType(handled);
  const retry = options.retry === undefined ? DEFAULT_RETRY : parseRetryPolicy(options.retry);
  const { around = [], isConflict, onError, onSession, retryFor, log, sandbox } = options;
  const hooks = defined({ isConflict, onError, retryFor, onSession });
  const chosen = { sandbox, handlers, around, rules: createRulesCache(), retry, log, ...workerLimits(handlers, options), ...hooks };
  return { handlers, over: (ports) => ({ ...ports, inbox: ports.hints, ...chosen }) };
}

function handlersByType(handled: readonly HandledJob[]): ReadonlyMap<string, HandledJob> {
  if (!Array.isArray(handled)) throw new InvalidInputError('handlers', kindOf(handled), 'Give an array of jobType.handle(...).');
  const handlers = new Map<string, HandledJob>();
  for (const one of handled as readonly HandledJob[]) {
    if (typeof one?.handler !== 'function' || typeof one.type?.name !== 'string') {
      throw new InvalidInputError('handlers', kindOf(one), 'Give what jobType.handle(...) returns for each type.');
    }
    if (handlers.has(one.type.name)) throw new InvalidConfigurationError(`handlers: job type ${shown(one.type.name)} has two. Keep one.`);
    handlers.set(one.type.name, one);
  }
  return handlers;
}

/** The worker that this process is. A handler in the wrong one would never be called: its jobs go to the queues of another. */
export function checkWorkers(handlers: ReadonlyMap<string, HandledJob>, { worker }: Deployment): string {
  if (worker === undefined)
    throw new MissingEnvironmentError(ENVIRONMENT.worker, 'a worker of the JobExecutor construct with this file as its entry');
  for (const { type } of handlers.values()) {
    if (type.worker !== worker) {
      throw new InvalidConfigurationError(
        `handlers: job type ${shown(type.name)} belongs to worker ${shown(type.worker)}, this is ${shown(worker)}. ` +
          "Move the handler, or fix the type's worker.",
      );
    }
  }
  return worker;
}
