import type { HandledJob, RetryFor } from '../../shared/job/job-type.ts';
import { type AnyLimit, checkLimits, checkNames, tenantLimit } from '../../shared/job/limit.ts';
import { type Deployment, ENVIRONMENT } from '../../shared/config/environment.ts';
import { defined } from '../../shared/job/defined.ts';
import { InvalidConfigurationError, InvalidInputError, kindOf, MissingEnvironmentError, shown } from '../../shared/job/errors.ts';
import { checkedInUse, checkFunction, listOf, type OptionChecks, withMethods } from '../../shared/job/option-checks.ts';
import { presentName } from '../../shared/job/worker-names.ts';
import type { JobLog } from '../../shared/job/job-log.ts';
import { DEFAULT_RETRY, parseRetryPolicy, type RetryInput } from '../../shared/job/retry-policy.ts';
import type { HintSender, Inbox } from '../../shared/ports/hints.ts';
import type { JobRef } from '../../shared/ports/journal.ts';
import type { Sandbox } from '../../shared/ports/sandbox.ts';
import { checkTracing, type Tracing } from '../../shared/ports/tracing.ts';
import type { OnSession, Around, ExecutorDeps, OnError } from './deps.ts';
import { createRulesCache } from './gates/rules.ts';

/** Options for running handlers, in Lambda or outside it. All have defaults. */
export interface HandlerOptions extends LimitOptionsOfWorker {
  /** Wraps each call of a handler, the first entry outermost. */
  readonly around?: readonly Around[];
  /** Retry policy of jobs for which their own options, their type and `retryFor` give none. Default: 3 tries, exponential with full jitter from 10 s. */
  readonly retry?: RetryInput;
  /**
   * Called when a run throws or passes its time limit, before a policy is chosen. Return a verdict, such as `snooze('PT1H')` or
   * `fail(reason)`, or undefined to apply the policy. What it throws is journalled, and counts as undefined.
   */
  readonly onError?: OnError;
  /** Chooses a policy by error, for jobs that have none, of their own or of their type. If it returns undefined or throws, `retry` applies. */
  readonly retryFor?: RetryFor;
  /** Recognizes errors that are retried without counting, in addition to DynamoDB's optimistic-lock conflicts. */
  readonly isConflict?: (error: unknown) => boolean;
  /** Makes the logger of a job. Default: Powertools, with the job's id, type and attempt in each line. */
  readonly log?: (job: JobRef) => JobLog;
  /** Called when an attempt has ended, with its events and its first 1,000 log lines. What it throws is journalled. */
  readonly onSession?: OnSession;
  /** Runs attempts in spans: `openTelemetry(api)` of `nightcrew/opentelemetry`. Default: no spans. */
  readonly tracing?: Tracing;
  /** Ends the process if a handler outlives its attempt. Default: exit code 1. */
  readonly sandbox?: Sandbox;
}

/** `configureExecutor` checks the rest. */
export const HANDLER_CHECKS: OptionChecks<HandlerOptions> = {
  around: listOf(checkFunction),
  retry: checkedInUse,
  onError: checkFunction,
  retryFor: checkFunction,
  isConflict: checkFunction,
  log: checkFunction,
  onSession: checkFunction,
  tracing: checkedInUse,
  sandbox: withMethods(['end'], 'Give a Sandbox, or leave it out.'),
  limits: checkedInUse,
  tenantConcurrency: checkedInUse,
};

/** The ports that handlers are run with. */
export type ExecutorPorts = Pick<
  ExecutorDeps,
  | 'deployment'
  | 'tables'
  | 'journal'
  | 'clock'
  | 'entropy'
  | 'errorGroups'
  | 'flushEvents'
  | 'traceparent'
  | 'batchRefusal'
  | 'missingPermission'
> & {
  readonly hints: HintSender & Inbox;
};

/** Checks handlers and options once, and returns a factory of the dependencies of each call. Throws InvalidConfigurationError if two handlers have the same type. */
export function configureExecutor(
  handled: readonly HandledJob[],
  options: HandlerOptions & Required<Pick<HandlerOptions, 'log' | 'sandbox'>>,
): { readonly handlers: ReadonlyMap<string, HandledJob>; readonly connect: (ports: ExecutorPorts) => ExecutorDeps } {
  const handlers = handlersByType(handled);
  const retry = options.retry === undefined ? DEFAULT_RETRY : parseRetryPolicy(options.retry);
  const { around = [], isConflict, onError, onSession, retryFor, log, sandbox } = options;
  const hooks = { ...defined({ isConflict, onError, retryFor, onSession }), ...checkTracing(options.tracing) };
  const chosen = { sandbox, handlers, around, rules: createRulesCache(), retry, log, ...hooks };
  // A process connects for each call, and has one worker.
  let limits = workerLimits(handlers, options);
  let worker: string | undefined;
  const connect = (ports: ExecutorPorts): ExecutorDeps => {
    if (ports.deployment.worker !== worker) {
      worker = ports.deployment.worker;
      limits = workerLimits(handlers, options, worker);
    }
    return { ...ports, inbox: ports.hints, ...chosen, ...limits };
  };
  return { handlers, connect };
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

/** The worker of this process. A handler of another worker is refused: its jobs go to other queues, so it would never be called. */
export function checkWorkers(
  handlers: ReadonlyMap<string, HandledJob>,
  { worker, workers }: Pick<Deployment, 'worker' | 'workers'>,
): string {
  if (worker === undefined)
    throw new MissingEnvironmentError(ENVIRONMENT.worker, 'a worker of the JobExecutor construct with this file as its entry');
  for (const { type } of handlers.values()) {
    if (presentName(workers, type.worker) !== worker) {
      throw new InvalidConfigurationError(
        `handlers: job type ${shown(type.name)} belongs to worker ${shown(type.worker)}, this is ${shown(worker)}. ` +
          "Move the handler, or fix the type's worker.",
      );
    }
  }
  return worker;
}

/** Limits on the jobs of a worker, of all types. */
export interface LimitOptionsOfWorker {
  /** Limits on the jobs of this worker, in addition to those of their types. */
  readonly limits?: readonly AnyLimit[];
  /** How many jobs of a tenant may run at once on this worker, 1 to 100. Jobs without a tenant are not limited. */
  readonly tenantConcurrency?: number;
}

/**
 * The worker's own limits, if any. `present`: the worker's name in the deployment; types may name a former one. Throws
 * InvalidConfigurationError if limits with the same name differ, here or in a type, and InvalidInputError for invalid numbers.
 */
export function workerLimits(
  handlers: ReadonlyMap<string, HandledJob>,
  { limits, tenantConcurrency }: LimitOptionsOfWorker,
  present?: string,
): { readonly limits?: readonly AnyLimit[] } {
  const types = [...handlers.values()].map(({ type }) => type);
  const tenants = tenantConcurrency === undefined ? [] : [tenantLimit(present ?? types[0]?.worker ?? 'default', tenantConcurrency)];
  const own = [...checkLimits(limits), ...tenants];
  checkNames([...own, ...types.flatMap((type) => type.limits)]);
  return own.length === 0 ? {} : { limits: own };
}
