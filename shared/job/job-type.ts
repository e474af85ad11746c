import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defined } from './defined.ts';
import { type Duration, durationMs } from './duration.ts';
import type { EnqueueOptions } from './enqueue-options.ts';
import { DefinitionThrewError, InvalidInputError, kindOf } from './errors.ts';
import { checkGroup, type GroupInput } from './group.ts';
import { HISTORY_LEVELS, type HistoryLevel } from './history-level.ts';
import type { JobInfo } from './job-info.ts';
import type { JobLog } from './job-log.ts';
import { type AnyLimit, checkCount, checkLimits, type Limit } from './limit.ts';
import { checkFlag, checkOptions, checkPriority, checkTypeName, checkWorkerName } from './names.ts';
import { formatRetryPolicy, parseRetryPolicy, type RetryInput, type RetryPolicy } from './retry-policy.ts';
import { checkCodecs, type PayloadCodec, type TypeCodecs } from './payload-codec.ts';
import { checkVersion, type Upcast, type Upcasts } from './upcast.ts';
// A job type, its handler, the verdict and a follow-up refer to each other, so their types share this file.

/** A value, or a function of the payload that gives it. */
export type ByPayload<Payload, Value> = Value | ((payload: Payload) => Value);

/** What a handler is called with. `signal` aborts at the time limit, when the job is cancelled, when its lease is lost, and when its worker outside Lambda stops. */
export interface JobContext<Payload = unknown> {
  readonly payload: Payload;
  /** What an earlier run left with `continueWith`; undefined in the first run. It outlasts failures. */
  readonly state: unknown;
  readonly job: JobInfo;
  readonly signal: AbortSignal;
  readonly log: JobLog;
  /**
   * Call it between steps of long work. When the run nears its time limit, or its signal has aborted, it throws: the run ends there and
   * the job continues in a new one, with this state in its context; no attempt is counted. Do not catch its error.
   */
  readonly yieldIfNeeded: (state: unknown) => void;
  /** How far the work is, in percent, for operators and `client.get`. Returns at once; at most one write a second reaches the row. */
  readonly progress: (percent: number, text?: string) => void;
}

/** A job that a handler enqueues with its completion: it is created in the same transaction, unless its key or own id is taken. */
export interface FollowUp {
  readonly type: AnyJobType;
  readonly payload: unknown;
  readonly options: EnqueueOptions;
}

/** A job that a completion cancels: the one that holds a unique key. */
export interface CancelByKey {
  readonly type: AnyJobType;
  /** The key that it was enqueued with. */
  readonly key: string;
  /** Its tenant, or an empty string for none. Default: that of the job that completes. */
  readonly tenant?: string;
  /** Why. Kept with the job in History; a running handler finds it in `signal.reason`. */
  readonly reason?: string;
}

/** What is written together with a completion, in one transaction. */
export interface CompleteOptions {
  /** Jobs created with the completion, or not at all; one whose key or own id is taken is left out. Made by `followUp(type, payload, options)`. */
  readonly enqueue?: readonly FollowUp[];
  /**
   * Jobs cancelled with the completion, by their unique keys. One that runs is asked to stop; one that has ended, or that never was, is no
   * error.
   */
  readonly cancel?: readonly CancelByKey[];
  /**
   * Your own writes to your own tables, each for another row: TransactWriteItem of the AWS SDK, or what your `ports.tables` takes. If one of
   * their conditions fails, the completion is not written, and the job is retried without counting the attempt. Not for `external`.
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

/** What becomes of a job that has not started in time. */
export type OnExpiry = 'finish' | 'dead-letter';

/** Chooses a policy by the error itself. The number of tries of its policy counts all failures of the job. */
export type RetryFor = (error: unknown, job: JobInfo) => RetryInput | undefined;

/** Options of a job type. */
export interface JobTypeOptions<Schema extends StandardSchemaV1> {
  /** A Standard Schema (zod, valibot, arktype, ...). The client checks payloads with it, and the worker again before the handler runs. */
  readonly payload: Schema;
  /** The worker that runs this type. Default `default`. */
  readonly worker?: string;
  /** Retry policy, or a function of the payload that gives one. Default: the worker's `retryFor`, then its `retry`. */
  readonly retry?: ByPayload<StandardSchemaV1.InferOutput<Schema>, RetryInput>;
  /** Policies by `error.name` of a thrown error, or of one of its causes. They take precedence over `retry`, also over that of the job. Not for failures that `external` reports. */
  readonly retryOn?: Readonly<Record<string, RetryInput>>;
  /** Chooses a policy for a thrown error, before `retryOn` and `retry`, which apply if it returns undefined. What it throws is journalled, and counts as undefined. Not for failures that `external` reports. */
  readonly retryFor?: RetryFor;
  /** Name of a group, whose jobs run one at a time, of whatever type and worker, except those enqueued with `exclusive: false`. */
  readonly group?: ByPayload<StandardSchemaV1.InferOutput<Schema>, GroupInput | undefined>;
  /** Whether jobs of this type without a group of their own, enqueued in a handler, join the group of the handler's job, and pass it on. Default: whether that job was made so. */
  readonly inheritGroup?: boolean;
  /** Higher is more urgent. Selects the lane; jobs with an exclusive group go to the FIFO queue, and timers to the lane `timers`, where there is one. Default: the worker's, or 0. */
  readonly priority?: ByPayload<StandardSchemaV1.InferOutput<Schema>, number | undefined>;
  /** Limits on how many jobs run at once or start in a period. A job under several limits needs room under each. Not for `external`. */
  readonly limits?: readonly Limit<StandardSchemaV1.InferOutput<Schema>>[];
  /** Time limit of a run; one after `continueWith` has it anew. In Lambda at most 15 minutes, and the invocation caps it. Not for `external`. */
  readonly timeout?: Duration;
  /** How long after its due time a job may start for the first time. Not for occurrences of schedules, which have `missed`. Default: no limit. */
  readonly startWithin?: Duration;
  /** What happens to a job that has not started in time: it ends as `expired`, or becomes a dead letter. Default `finish`. */
  readonly onExpiry?: OnExpiry;
  /**
   * About how many jobs of the type may be ready. `enqueue`, `enqueueMany` and batches throw BacklogFullError for more, by the sweeper's
   * last count and what this client enqueued since. Timers do not count, and without a recent count nothing is refused. Default: no bound.
   */
  readonly maxBacklog?: number;
  /** What History keeps of completed jobs and of attempts. Default: the deployment's level. */
  readonly history?: HistoryLevel;
  /** Version of the payload's shape. Raise it when jobs of the old shape would no longer be valid. Default 1. */
  readonly version?: number;
  /** Converts payloads of older versions, one step for each: `{ 1: (payload) => payload of version 2 }`. */
  readonly upcast?: Upcasts;
  /** Encodes payloads for the tables, and decodes them before a handler runs: encryption, compression. `defineSchedule` takes only `{}` for the type. Default: JSON. */
  readonly codec?: PayloadCodec;
  /** Further codecs that stored payloads may need: earlier ones, and one that another release writes. Default: none. */
  readonly readCodecs?: readonly PayloadCodec[];
}

/** A job type that producers and workers share; it carries no handler code. */
export interface JobType<Input = unknown, Output = unknown> extends TypeCodecs {
  readonly name: string;
  readonly worker: string;
  readonly schema: StandardSchemaV1<Input, Output>;
  readonly retry: RetryPolicy | undefined;
  readonly retryOn: ReadonlyMap<string, RetryPolicy>;
  readonly retryFor?: RetryFor;
  readonly limits: readonly AnyLimit[];
  readonly timeoutMs: number | undefined;
  readonly startWithinMs?: number;
  readonly onExpiry?: OnExpiry;
  readonly maxBacklog?: number;
  readonly history?: HistoryLevel;
  readonly schemaVersion: number;
  /** The steps that lift payloads of older versions; the first makes version 2 of version 1. */
  readonly upcasts: readonly Upcast[];
  /** Evaluates `group`, `priority` and `retry` for a payload; a function that throws becomes a DefinitionThrewError. */
  readonly traits: (payload: Output) => JobTraits;
  /** Pairs the type with the function that runs it. */
  readonly handle: (handler: JobHandler<Output>) => HandledJob;
}

/** Any job type, where its payload does not matter. */
// oxlint-disable-next-line typescript/no-explicit-any -- a payload type stands in both positions; only `any` accepts every one
export type AnyJobType = JobType<any, any>;

/** A type's traits for one payload. `retry` is set only if it is a function: a plain value is read from the type when the job runs. */
export interface JobTraits {
  readonly group?: string;
  /** A failure holds the group back. */
  readonly blocks?: true;
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
  'startWithin',
  'onExpiry',
  'maxBacklog',
  'history',
  'version',
  'upcast',
  'codec',
  'readCodecs',
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
  const { retry, version = 1, upcast } = options;
  const type: JobType<Input, Output> = {
    name,
    worker: checkWorkerName(options.worker ?? 'default'),
    schema: options.payload,
    retry: retry === undefined || typeof retry === 'function' ? undefined : parseRetryPolicy(retry),
    retryOn: new Map(Object.entries(options.retryOn ?? {}).map(([error, policy]) => [error, parseRetryPolicy(policy, `retryOn.${error}`)])),
    limits: checkLimits(options.limits),
    timeoutMs: options.timeout === undefined ? undefined : timeLimit(options.timeout),
    ...defined({
      retryFor: given(options.retryFor, checkRetryFor),
      history: given(options.history, checkLevel),
      startWithinMs: given(options.startWithin, (startWithin) => durationMs(startWithin, 'startWithin')),
      onExpiry: given(options.onExpiry, checkOnExpiry),
      maxBacklog: given(options.maxBacklog, (bound) => checkCount(bound, 'maxBacklog', Number.POSITIVE_INFINITY)),
    }),
    ...checkVersion(version, upcast),
    ...checkCodecs(options.codec, options.readCodecs),
    traits: (payload) => traitsOf(name, options, payload),
    handle: (handler) => {
      if (typeof handler !== 'function') throw new InvalidInputError('handler', kindOf(handler), `Give the function that runs ${name}.`);
      return { type, handler };
    },
  };
  return type;
}

/** The result of a check for an option that is given. */
const given = <Option, Checked>(option: Option | undefined, check: (option: Option) => Checked): Checked | undefined =>
  option === undefined ? undefined : check(option);

function checkLevel(level: HistoryLevel): HistoryLevel {
  if (HISTORY_LEVELS.includes(level)) return level;
  throw new InvalidInputError('history', level, `Use one of ${HISTORY_LEVELS.join(', ')}.`);
}

function checkOnExpiry(given: OnExpiry): OnExpiry {
  if (given === 'finish' || given === 'dead-letter') return given;
  throw new InvalidInputError('onExpiry', given, 'Use finish or dead-letter.');
}

function checkRetryFor(retryFor: RetryFor): RetryFor {
  if (typeof retryFor === 'function') return retryFor;
  throw new InvalidInputError('retryFor', retryFor, 'Give a function.');
}

function timeLimit(timeout: Duration): number {
  const ms = durationMs(timeout, 'timeout');
  if (ms > 0) return ms;
  throw new InvalidInputError('timeout', timeout, 'Use more than 0, such as PT30S; leave it out to allow the rest of the invocation.');
}

function traitsOf<Schema extends StandardSchemaV1>(
  name: string,
  options: JobTypeOptions<Schema>,
  payload: StandardSchemaV1.InferOutput<Schema>,
): JobTraits {
  const { retry } = options;
  const group = checkGroup(evaluate(name, 'group', options.group, payload));
  const priority = evaluate(name, 'priority', options.priority, payload) ?? undefined;
  const policy = typeof retry === 'function' ? parseRetryPolicy(evaluate(name, 'retry', retry, payload) as RetryInput) : undefined;
  return {
    ...group,
    ...defined({ inheritGroup: options.inheritGroup }),
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
