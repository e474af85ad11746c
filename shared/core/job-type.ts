import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defined } from './defined.ts';
import { type Duration, durationMs } from './duration.ts';
import type { EnqueueOptions } from './enqueue-options.ts';
import { DefinitionThrewError, InvalidInputError, kindOf } from './errors.ts';
import { HISTORY_LEVELS, type HistoryLevel } from './history-level.ts';
import type { JobInfo } from './job-info.ts';
import { type AnyLimit, checkLimits, type Limit } from './limit.ts';
import { checkFlag, checkOptions, checkPriority, checkText, checkTypeName, checkWorkerName } from './names.ts';
import { formatRetryPolicy, parseRetryPolicy, type RetryInput, type RetryPolicy } from './retry-policy.ts';

// A job type, its handler, the verdict and a follow-up refer to each other, so their types share this file.

/** A value, or a function of the payload that gives it. */
export type ByPayload<Payload, Value> = Value | ((payload: Payload) => Value);

/** Where a handler writes its log lines; each carries the job's id, type and attempt. */
export interface JobLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a handler is called with. `signal` aborts before the time limit and when the job is cancelled. */
export interface JobContext<Payload = unknown> {
  readonly payload: Payload;
  /** What an earlier run left with `continueWith`; undefined in the first run. It outlasts failures. */
  readonly state: unknown;
  readonly job: JobInfo;
  readonly signal: AbortSignal;
  readonly log: JobLog;
  /**
   * Call it between steps of long work. When the run nears its time limit, or its signal has aborted, it throws: the run ends there and
   * the job goes on in a fresh one, with this state in its context, at the cost of no attempt. Do not catch what it throws.
   */
  readonly yieldIfNeeded: (state: unknown) => void;
  /** How far the work is, in percent, for operators and `client.get`. Returns at once; at most one write a second reaches the row. */
  readonly progress: (percent: number, text?: string) => void;
}

/** A job that a handler asks for with its completion: it exists if and only if the completion was recorded. */
export interface FollowUp {
  readonly type: AnyJobType;
  readonly payload: unknown;
  readonly options: EnqueueOptions;
}

/** What is written together with a completion, in one transaction: all of it, or the job is not completed. */
export interface CompleteOptions {
  /** Jobs that exist if and only if the completion is recorded. Made by `followUp(type, payload, options)`. */
  readonly enqueue?: readonly FollowUp[];
  /**
   * Your own writes to your own tables: TransactWriteItem of the AWS SDK, each for another row. If one of their conditions fails,
   * nothing is written, and the job is retried without counting the attempt, as after an optimistic-lock conflict.
   */
  readonly transact?: readonly unknown[];
  /** A JSON value of at most 32 KB for `waitForResult`. */
  readonly result?: unknown;
  /** How long to keep the result. Default one day. */
  readonly keepResult?: Duration;
}

/** What a handler may return. Returning nothing completes the job; throwing means unexpected, and is retried. */
export type Verdict =
  | { readonly verdict: 'complete'; readonly options?: CompleteOptions }
  | { readonly verdict: 'snooze'; readonly delayMs: number }
  /** `state` is JSON text. */
  | { readonly verdict: 'continue'; readonly state: string }
  | { readonly verdict: 'fail'; readonly reason: string; readonly retry: boolean; readonly retryAfterMs?: number };

/**
 * Runs jobs of one type. Returns nothing or a verdict; throwing means unexpected, and is retried by the type's policy. Any other return
 * value is ignored with a warning: the handler has done its work, so the job is complete.
 */
export type JobHandler<Payload = unknown> = (context: JobContext<Payload>) => Verdict | void | Promise<Verdict | void>;

/** A job type together with the function that runs it; what `createExecutor` takes. */
export interface HandledJob {
  readonly type: AnyJobType;
  readonly handler: JobHandler<never>;
}

/** Chooses a policy by the error itself. The number of tries of its policy counts all failures of the job. */
export type RetryFor = (error: unknown, job: JobInfo) => RetryInput | undefined;

/** Options of a job type. */
export interface JobTypeOptions<Schema extends StandardSchemaV1> {
  /** Any Standard Schema (zod, valibot, arktype, ...). Checked when a job is enqueued and again before it runs. */
  readonly payload: Schema;
  /** The worker (one executor Lambda with its queues) that runs this type. Default `default`. */
  readonly worker?: string;
  /** How often and when a failed job runs again: a policy, or a function of the payload. Default: the worker's `retry`. */
  readonly retry?: ByPayload<StandardSchemaV1.InferOutput<Schema>, RetryInput>;
  /** Policies by `error.name`, anywhere in the cause chain. They take precedence over `retry`. */
  readonly retryOn?: Readonly<Record<string, RetryInput>>;
  /** Chooses a policy for the thrown error, before `retryOn` and `retry`. Return undefined to leave it to them. If it throws, it is ignored and counted. */
  readonly retryFor?: RetryFor;
  /** Jobs of one group never run at the same time, whatever their type or worker. */
  readonly group?: ByPayload<StandardSchemaV1.InferOutput<Schema>, string | undefined>;
  /** Whether jobs of this type, enqueued in a handler, join the group of the handler's job, and pass it on. Default false. */
  readonly inheritGroup?: boolean;
  /** Higher is more urgent. Selects the lane of the worker. Default: the worker's, or 0. */
  readonly priority?: ByPayload<StandardSchemaV1.InferOutput<Schema>, number | undefined>;
  /** Limits on how many jobs run at once or start in a period. A job under several limits needs room under each. */
  readonly limits?: readonly Limit<StandardSchemaV1.InferOutput<Schema>>[];
  /** Time limit of one attempt, capped by the invocation. */
  readonly timeout?: Duration;
  /** What History keeps of finished jobs. Default: the deployment's level. */
  readonly history?: HistoryLevel;
  /** Version of the payload's shape, stored with each job. Default 1. */
  readonly schemaVersion?: number;
}

/** A job type that producers and workers share; it carries no handler code. */
export interface JobType<Input = unknown, Output = unknown> {
  readonly name: string;
  readonly worker: string;
  readonly schema: StandardSchemaV1<Input, Output>;
  readonly retry: RetryPolicy | undefined;
  readonly retryOn: ReadonlyMap<string, RetryPolicy>;
  readonly retryFor?: RetryFor;
  readonly limits: readonly AnyLimit[];
  readonly timeoutMs: number | undefined;
  readonly history?: HistoryLevel;
  readonly schemaVersion: number;
  /** Evaluates `group`, `priority` and `retry` for a payload; a function that throws becomes a DefinitionThrewError. */
  readonly traits: (payload: Output) => JobTraits;
  /** Pairs the type with the function that runs it. */
  readonly handle: (handler: JobHandler<Output>) => HandledJob;
}

/** Any job type, where its payload does not matter. */
// oxlint-disable-next-line typescript/no-explicit-any -- a payload type stands in both positions; only `any` accepts every one
export type AnyJobType = JobType<any, any>;

/** What a type says of one payload. `retry` is set only where it was a function: a plain value is read from the type when the job runs. */
export interface JobTraits {
  readonly group?: string;
  readonly inheritGroup?: boolean;
  /** Absent when the type gives none: then the worker's counts. */
  readonly priority?: number;
  readonly retry?: string;
}

const TYPE_OPTIONS = [
  'payload',
  'worker',
  'retry',
  'retryOn',
  'retryFor',
  'group',
  'inheritGroup',
  'priority',
  'limits',
  'timeout',
  'history',
  'schemaVersion',
];

/** Defines a job type. Throws InvalidInputError for a name, policy or duration that cannot work. */
export function defineJob<Schema extends StandardSchemaV1>(
  name: string,
  options: JobTypeOptions<Schema>,
): JobType<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>> {
  type Input = StandardSchemaV1.InferInput<Schema>;
  type Output = StandardSchemaV1.InferOutput<Schema>;
  checkTypeName(name);
  checkOptions(options, TYPE_OPTIONS, 'options');
  if (typeof options.payload?.['~standard']?.validate !== 'function') {
    throw new InvalidInputError('payload', kindOf(options.payload), 'Give a Standard Schema, such as z.object({ ... }) of zod.');
  }
  checkFlag(options.inheritGroup, 'inheritGroup');
  const { retry, schemaVersion = 1 } = options;
  if (!Number.isSafeInteger(schemaVersion) || schemaVersion < 1) {
    throw new InvalidInputError('schemaVersion', schemaVersion, 'Use a whole number, 1 or more.');
  }
  const type: JobType<Input, Output> = {
    name,
    worker: checkWorkerName(options.worker ?? 'default'),
    schema: options.payload,
    retry: retry === undefined || typeof retry === 'function' ? undefined : parseRetryPolicy(retry),
    retryOn: new Map(Object.entries(options.retryOn ?? {}).map(([error, policy]) => [error, parseRetryPolicy(policy, `retryOn.${error}`)])),
    ...(options.retryFor === undefined ? {} : { retryFor: checkFunction(options.retryFor, 'retryFor') }),
    limits: checkLimits(options.limits),
    ...(options.history === undefined ? {} : { history: checkLevel(options.history) }),
    timeoutMs: options.timeout === undefined ? undefined : timeLimit(options.timeout),
    schemaVersion,
    traits: (payload) => traitsOf(name, options, payload),
    handle: (handler) => {
      if (typeof handler !== 'function') throw new InvalidInputError('handler', kindOf(handler), `Give the function that runs ${name}.`);
      return { type, handler };
    },
  };
  return type;
}

function checkLevel(level: HistoryLevel): HistoryLevel {
  if (HISTORY_LEVELS.includes(level)) return level;
  throw new InvalidInputError('history', level, `Use one of ${HISTORY_LEVELS.join(', ')}.`);
}

function checkFunction<Given>(given: Given, field: string): Given {
  if (typeof given === 'function') return given;
  throw new InvalidInputError(field, given, 'Give a function.');
}

function timeLimit(timeout: Duration): number {
  const ms = durationMs(timeout, 'timeout');
  if (ms > 0) return ms;
  throw new InvalidInputError(
    'timeout',
    timeout,
    'Use more than nothing, such as PT30S; leave it out for as long as the invocation lasts.',
  );
}

function traitsOf<Schema extends StandardSchemaV1>(
  name: string,
  options: JobTypeOptions<Schema>,
  payload: StandardSchemaV1.InferOutput<Schema>,
): JobTraits {
  const { retry } = options;
  const group = checkText(evaluate(name, 'group', options.group, payload), 'group');
  const priority = evaluate(name, 'priority', options.priority, payload) ?? undefined;
  const policy = typeof retry === 'function' ? parseRetryPolicy(evaluate(name, 'retry', retry, payload) as RetryInput) : undefined;
  return {
    ...defined({ group, inheritGroup: options.inheritGroup }),
    ...(priority === undefined ? {} : { priority: checkPriority(priority) }),
    ...(policy === undefined ? {} : { retry: formatRetryPolicy(policy) }),
  };
}

function evaluate<Payload, Value>(
  type: string,
  field: string,
  given: ByPayload<Payload, Value> | undefined,
  payload: Payload,
): Value | undefined {
  if (typeof given !== 'function') return given;
  try {
    return (given as (payload: Payload) => Value)(payload);
  } catch (cause) {
    throw new DefinitionThrewError(field, type, cause);
  }
}
