import { defined } from './defined.ts';
import { type Duration, durationMs } from './duration.ts';
import { Described, InvalidInputError, InvalidVerdictError, kindOf, NightcrewError } from './errors.ts';
import { LIMITS, utf8Bytes } from './size-limits.ts';
import type { CompleteOptions, Verdict } from './job-type.ts';
import { checkOptions } from './names.ts';
import { encodePayload } from './payload.ts';

const VERDICT_FIELDS: Readonly<Record<Verdict['verdict'], readonly string[]>> = {
  complete: ['verdict', 'options'],
  snooze: ['verdict', 'delayMs'],
  continue: ['verdict', 'state'],
  fail: ['verdict', 'reason', 'retry', 'retryAfterMs'],
};
const COMPLETE_OPTIONS = ['enqueue', 'cancel', 'transact', 'result', 'keepResult'];
/** How many writes a transaction holds in addition to the job, its key, batch, result and history. */
const MAX_BESIDE = 90;
const DEFAULT_KEEP_MS = 86_400_000;

/** The job is done; without options the same as returning nothing. Throws InvalidVerdictError for what one transaction cannot hold. */
export function complete(options?: CompleteOptions): Verdict {
  if (options !== undefined) recordable(() => checkCompletion(options));
  return options === undefined ? { verdict: 'complete' } : { verdict: 'complete', options };
}

/** A verdict is made when the handler has done its work. One that cannot be recorded must not make it do that again. */
function recordable<Result>(make: () => Result): Result {
  try {
    return make();
  } catch (cause) {
    throw cause instanceof NightcrewError ? new InvalidVerdictError(cause) : cause;
  }
}

/** Refuses completions that could not be recorded whatever the job. Throws InvalidInputError. */
export function checkCompletion(options: CompleteOptions): void {
  checkOptions(options, COMPLETE_OPTIONS, 'complete');
  for (const name of ['enqueue', 'cancel', 'transact'] as const) {
    const list: unknown = options[name];
    if (list !== undefined && !Array.isArray(list)) throw new InvalidInputError(name, kindOf(list), 'Give an array.');
  }
  const beside = (options.enqueue?.length ?? 0) + (options.cancel?.length ?? 0) + (options.transact?.length ?? 0);
  if (beside > MAX_BESIDE) {
    throw new InvalidInputError(
      'enqueue',
      new Described(`${beside} jobs and items`),
      `One transaction takes ${MAX_BESIDE}; use a batch for more.`,
    );
  }
}

/** JSON text of a completion's result and how long to keep it, in milliseconds; undefined for a job without one. */
export function encodeResult({ result, keepResult }: CompleteOptions): { readonly json: string; readonly keepMs: number } | undefined {
  if (result === undefined) return undefined;
  const json = encodePayload(result, 'result');
  const bytes = utf8Bytes(json);
  if (bytes > LIMITS.resultBytes) {
    throw new InvalidInputError(
      'result',
      new Described(`${bytes} bytes`),
      `Use at most ${LIMITS.resultBytes} bytes; put more into S3 and return its key.`,
    );
  }
  return { json, keepMs: keepResult === undefined ? DEFAULT_KEEP_MS : durationMs(keepResult, 'keepResult') };
}

/** Not now: the job runs again after `delay`. Counts against nothing. */
export function snooze(delay: Duration): Verdict {
  return { verdict: 'snooze', delayMs: recordable(() => durationMs(delay, 'snooze')) };
}

/**
 * Not finished: the job runs again at once, in a new invocation, with `state` in its context. The same attempt continues: it counts
 * against nothing. `state` is any JSON value of at most 64 KB, and it outlasts failures: a retry resumes from it.
 */
export function continueWith(state: unknown): Verdict {
  return { verdict: 'continue', state: recordable(() => checkState(encodePayload(state, 'state'))) };
}

/** Refuses a state that would not leave room for the failure path, as JSON or encoded. Throws InvalidInputError. */
export function checkState(json: string): string {
  const bytes = utf8Bytes(json);
  if (bytes <= LIMITS.stateBytes) return json;
  const fix = `Use at most ${LIMITS.stateBytes} bytes; put more into S3 and keep its key.`;
  throw new InvalidInputError('state', new Described(`${bytes} bytes`), fix);
}

/**
 * An expected failure. The job becomes a dead letter at once; with `retry: true` its policy decides, and `retryAfter`
 * replaces the policy's delay.
 */
export function fail(reason: string, options: { readonly retry?: boolean; readonly retryAfter?: Duration } = {}): Verdict {
  recordable(() => checkOptions(options, ['retry', 'retryAfter'], 'fail'));
  const { retry = options.retryAfter !== undefined, retryAfter } = options;
  return {
    verdict: 'fail',
    reason,
    retry,
    ...(retryAfter === undefined ? {} : { retryAfterMs: recordable(() => durationMs(retryAfter, 'retryAfter')) }),
  };
}

/**
 * Reads what a handler returned: nothing completes the job. Returns undefined for a value that is no verdict. Throws InvalidVerdictError
 * for a verdict whose fields are not valid.
 */
export function readVerdict(returned: unknown): Verdict | undefined {
  if (returned === undefined || returned === null) return complete();
  if (typeof returned !== 'object' || !('verdict' in returned)) return undefined;
  const given = returned as Partial<Verdict>;
  const known = Object.entries(VERDICT_FIELDS).find(([verdict]) => verdict === given.verdict)?.[1];
  if (known !== undefined) recordable(() => checkOptions(given, known, 'verdict'));
  switch (given.verdict) {
    case 'complete':
      return complete(given.options);
    case 'snooze':
      return snooze(given.delayMs ?? Number.NaN);
    case 'continue':
      return recordable(() => ({ verdict: 'continue', state: checkState(textOf(given.state, 'state')) }));
    case 'fail': {
      const { retry, retryAfterMs } = given;
      const reason = recordable(() => textOf(given.reason, 'reason'));
      return fail(reason, defined({ retry, retryAfter: retryAfterMs }));
    }
    case undefined:
    default:
      return undefined;
  }
}

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw new InvalidInputError(field, kindOf(value), 'Return the result of continueWith(state) or fail(reason).');
}
