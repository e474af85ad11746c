import { onOneLine, shown } from './shown.ts';

export { causeChain } from './cause-chain.ts';
export { Described, kindOf, shown } from './shown.ts';

/** What went wrong, as a closed set: every error that Nightcrew throws by itself carries one of these codes. */
export type ErrorCode =
  | 'INVALID_INPUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'DEFINITION_THREW'
  | 'UPCAST_THREW'
  | 'CODEC_FAILED'
  | 'ID_IN_USE'
  | 'KEY_CONTESTED'
  | 'BACKLOG_FULL'
  | 'MISSING_ENVIRONMENT'
  | 'INVALID_CONFIGURATION'
  | 'MISSING_PACKAGE'
  | 'ROW_UNREADABLE'
  | 'HINT_UNREADABLE'
  | 'STORE_UNAVAILABLE'
  | 'STORE_REFUSED'
  | 'UNAUDITED'
  | 'NON_RETRYABLE'
  | 'INVALID_VERDICT'
  | 'RETRY_AFTER'
  | 'JOB_TIMED_OUT'
  | 'CRASH_LOOP'
  | 'CHAIN_LIMIT'
  | 'LEASE_LOST'
  | 'WORKER_STOPPING'
  | 'JOB_CANCELLED'
  | 'ITEMS_REFUSED'
  | 'BATCH_CLOSED'
  | 'BATCH_UNKNOWN';

/** Base of the closed error family. `retryable`: the same call may succeed later, unchanged. */
export class NightcrewError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { retryable?: boolean } = {}) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** An option or argument was refused before a row was written. Names the field, the value and the fix. */
export class InvalidInputError extends NightcrewError {
  readonly field: string;
  readonly fix: string;

  constructor(field: string, value: unknown, fix: string, options?: ErrorOptions) {
    // Names of keys and a schema's messages may quote what a stranger wrote.
    super('INVALID_INPUT', onOneLine(`${field}: ${shown(value)} is not valid. ${fix}`), options);
    this.field = onOneLine(field);
    this.fix = onOneLine(fix);
  }
}

/** The payload is larger than a job row or its codec takes. `bytes` is its size as UTF-8 JSON, or that of what its codec made of it. */
export class PayloadTooLargeError extends NightcrewError {
  readonly bytes: number;
  readonly limit: number;

  constructor(bytes: number, limit: number) {
    super(
      'PAYLOAD_TOO_LARGE',
      `payload: ${bytes} bytes of JSON are more than the limit of ${limit} bytes. Keep the data in a bucket: with claimCheck, or pass its key.`,
    );
    this.bytes = bytes;
    this.limit = limit;
  }
}

/** A function in a job definition (`group`, `priority`, `retry`) or a `beforeCreate` middleware threw; `cause` is what it threw. */
export class DefinitionThrewError extends NightcrewError {
  constructor(field: string, type: string, cause: unknown) {
    super('DEFINITION_THREW', `${field}: the function that job type ${shown(type)} gives for it threw. Fix the definition.`, {
      cause,
    });
  }
}

/** A step in `upcast` of a job type threw; `cause` is what it threw. The payload cannot be read until the step is fixed. */
export class UpcastThrewError extends NightcrewError {
  constructor(type: string, from: number, cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message.slice(0, 500)}` : '';
    super(
      'UPCAST_THREW',
      onOneLine(`upcast.${from}: the step of job type ${shown(type)} from version ${from} to ${from + 1} threw${why}`),
      { cause },
    );
  }
}

/** A caller's own id belongs to another job already (other type or payload, or a dead letter). */
export class IdInUseError extends NightcrewError {
  constructor(id: string, state: string) {
    super('ID_IN_USE', `id: ${shown(id)} belongs to a job that is ${state}. Use a fresh id, or redrive the dead letter.`);
  }
}

/** The owner of a unique key changed several times while a job was enqueued with it. No job was created; the same call may succeed. */
export class KeyContestedError extends NightcrewError {
  constructor(key: string) {
    super('KEY_CONTESTED', `key: ${shown(key)} was taken and freed repeatedly, so no job was enqueued. Call again.`, { retryable: true });
  }
}

/** An environment variable that the deployment sets is not there. */
export class MissingEnvironmentError extends NightcrewError {
  constructor(variable: string, forgotten: string) {
    super('MISSING_ENVIRONMENT', `${variable} is not set. Did you forget ${forgotten}?`);
  }
}

/** Settings that contradict each other or are out of range; thrown at synth and when a function starts. */
export class InvalidConfigurationError extends NightcrewError {
  constructor(message: string) {
    super('INVALID_CONFIGURATION', message);
  }
}

/** An optional package is not installed. The message names the package and the command that installs it. */
export class MissingPackageError extends NightcrewError {
  /** The command that installs what is missing. */
  readonly install: string;
  constructor(names: readonly string[], options: ErrorOptions = {}) {
    const install = `npm install ${names.join(' ')}`;
    super('MISSING_PACKAGE', `This needs ${names.join(' and ')}, which Nightcrew does not install. Run: ${install}`, options);
    this.install = install;
  }
}

/** Names the optional packages if `error` says that one of them is not installed. Returns any other error as it is. */
export function missingPackage(names: readonly string[], error: unknown): unknown {
  const isMissing = error instanceof Error && 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND');
  return isMissing && names.some((name) => error.message.includes(`'${name}'`)) ? new MissingPackageError(names, { cause: error }) : error;
}

/** A stored row does not decode. It is quarantined in the dead letters; other rows are not affected. */
export class RowUnreadableError extends NightcrewError {
  constructor(field: string, value: unknown) {
    super('ROW_UNREADABLE', `row: attribute ${field} holds ${shown(value)}, which cannot be read.`);
  }
}

/** A message body does not decode as a hint. The executor copies it to the dead-letter queue. */
export class HintUnreadableError extends NightcrewError {
  constructor(problem: string) {
    super('HINT_UNREADABLE', `message: ${problem}`);
  }
}

/** The store or queue did not answer, throttled, or its answer was lost: nothing is known about the write. */
export class StoreUnavailableError extends NightcrewError {
  constructor(operation: string, cause: unknown, what = 'the store did not answer in time or throttled.') {
    super('STORE_UNAVAILABLE', `${operation}: ${what}`, { cause, retryable: true });
  }
}

/** The store refused the request itself (validation, missing table, access denied): nothing was written. */
export class StoreRefusedError extends NightcrewError {
  /** Whether the request is invalid for every caller. False: the deployment lacks a permission, a table or a key, and the same request passes once it has it. */
  readonly invalid: boolean;

  constructor(operation: string, cause: unknown, { invalid = true }: { readonly invalid?: boolean } = {}) {
    const why = cause instanceof Error ? cause.name : 'unknown';
    // AWS names the action and the resource of what is not allowed.
    const lacks = !invalid && cause instanceof Error && cause.message !== '' ? `: ${onOneLine(cause.message)}` : '';
    super('STORE_REFUSED', `${operation}: the store refused the request (${why})${lacks}.`.replace(/\.\.$/, '.'), { cause });
    this.invalid = invalid;
  }
}

/** What an operator asked for is done, and its entry in the audit is not written: repeating it would do it twice. `answer` is the verb's. */
export class UnauditedError extends NightcrewError {
  readonly answer: unknown;

  constructor(verb: string, answer: unknown, cause: unknown) {
    super('UNAUDITED', `${verb}: it is done, but its audit entry could not be written. Do not repeat it; write down who did it and why.`, {
      cause,
    });
    this.answer = answer;
  }
}

/** Throw this (or have it anywhere in a cause chain) and the job becomes a dead letter at once, regardless of its retry policy. */
export class NonRetryableError extends NightcrewError {
  constructor(message: string, options?: ErrorOptions) {
    super('NON_RETRYABLE', message, options);
  }
}

/**
 * A handler's verdict cannot be recorded: its result is too large, or a follow-up is invalid. The job
 * becomes a dead letter at once, because another run would repeat the handler's effects; `cause` is the reason.
 */
export class InvalidVerdictError extends NightcrewError {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : 'What the handler returned cannot be recorded.';
    super(
      'INVALID_VERDICT',
      `${why} The job is not tried again, because its handler has run: correct what it returns before you redrive the job.`,
      { cause },
    );
  }
}

/** Throw this to choose when the next try is due: it counts as a failure, but `retryAfterMs` replaces the policy's delay. */
export class RetryAfterError extends NightcrewError {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, options?: ErrorOptions) {
    super('RETRY_AFTER', message, options);
    if (!Number.isFinite(retryAfterMs) || retryAfterMs < 0) {
      throw new InvalidInputError('retryAfterMs', retryAfterMs, 'Use milliseconds, 0 or more.');
    }
    this.retryAfterMs = retryAfterMs;
  }
}

/** The attempt passed its time limit; recorded before Lambda kills the sandbox. Counts as a failure. */
export class JobTimedOutError extends NightcrewError {
  constructor(limitMs: number) {
    super('JOB_TIMED_OUT', `The attempt passed its time limit of ${Math.round(limitMs)} ms.`);
  }
}

/** The job's process died `crashes` times while it ran this job alone. */
export class CrashLoopError extends NightcrewError {
  constructor(crashes: number) {
    super('CRASH_LOOP', `The process died ${crashes} times while it ran this job alone.`);
  }
}

/** A job enqueued by a job enqueued by a job ...: the chain is longer than its limit. */
export class ChainLimitError extends NightcrewError {
  constructor(depth: number, limit: number) {
    super('CHAIN_LIMIT', `chainDepth: ${depth} is more than the limit of ${limit}. A job probably enqueues itself without end.`);
  }
}

/** The reason that a cancelled job's AbortSignal carries; `reason` and `by` are what the cancel was given. */
export class JobCancelledError extends NightcrewError {
  readonly reason: string | undefined;
  readonly by: string | undefined;

  constructor({ reason, by }: { readonly reason?: string | undefined; readonly by?: string | undefined } = {}) {
    super('JOB_CANCELLED', `The job was cancelled while it ran${reason === undefined ? '' : `: ${reason}`}.`);
    this.reason = reason;
    this.by = by;
  }
}

/** A condition of the items in `complete({ transact })` failed, so nothing of the completion was written. Retried without counting. */
export class ItemsRefusedError extends NightcrewError {
  constructor() {
    super('ITEMS_REFUSED', 'transact: a condition of these items failed, so the completion was not written. The handler runs again.');
  }
}

/** The reason of the AbortSignal of a job whose lease was lost, or could not be renewed in time: another executor may run it by now. */
export class LeaseLostError extends NightcrewError {
  constructor() {
    super('LEASE_LOST', 'The lease of the job was lost, or could not be renewed before it ended.');
  }
}

/** The reason of the AbortSignal of a job whose worker outside Lambda was asked to stop: the job goes back unchanged. */
export class WorkerStoppingError extends NightcrewError {
  constructor() {
    super('WORKER_STOPPING', 'The worker is stopping; the job goes back to its queue, which does not count against its retries.');
  }
}

/** Nothing can be added to the batch: it is sealed or cancelled, or the job that wanted to add to it does not run any more. */
export class BatchClosedError extends NightcrewError {
  constructor(batch: string) {
    super(
      'BATCH_CLOSED',
      `batch: ${shown(batch)} takes no more jobs. Its builder adds them before seal(), and its own jobs while they run; for more make another batch.`,
    );
  }
}

/** There is no such batch: it never was, or it finished longer than 30 days ago. */
export class BatchUnknownError extends NightcrewError {
  constructor(batch: string) {
    super('BATCH_UNKNOWN', `batch: ${shown(batch)} does not exist, or finished more than 30 days ago. Check the id.`);
  }
}
