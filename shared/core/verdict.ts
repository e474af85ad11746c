import { type Duration, durationMs } from './duration.ts';
import type { FollowUp } from './enqueue-options.ts';
import { InvalidInputError } from './errors.ts';
import { LIMITS, utf8Bytes } from './limits.ts';
import { checkOptions } from './names.ts';
import { encodePayload } from './payload.ts';

/** What a completion settles besides the job itself, all in one transaction: everything happens, or the job is not completed. */
export interface CompleteOptions {
  /** Jobs that exist if and only if this completion was recorded; `followUp(type, payload, options)` makes them. */
  readonly enqueue?: readonly FollowUp[];
  /**
   * Writes of the handler's own to its own tables: TransactWriteItem of the AWS SDK. Each names another row. If a condition of
   * theirs fails, nothing is written and the attempt counts as an optimistic-lock conflict: it is retried, without counting.
   */
  readonly transact?: readonly unknown[];
  /** Kept for `waitForResult`: any JSON value of at most 32 KB. */
  readonly result?: unknown;
  /** How long the result is kept. Default one day. */
  readonly keepResult?: Duration;
}

/** What a handler may return. Returning nothing completes the job; throwing means unexpected, and is retried. */
export type Verdict =
  | { readonly verdict: 'complete'; readonly options?: CompleteOptions }
  | { readonly verdict: 'snooze'; readonly delayMs: number }
  /** `state` is JSON text. */
  | { readonly verdict: 'continue'; readonly state: string }
  | { readonly verdict: 'fail'; readonly reason: string; readonly retry: boolean; readonly retryAfterMs?: number };

const COMPLETE_OPTIONS = ['enqueue', 'transact', 'result', 'keepResult'];
/** What one transaction holds beside the job, its key, its batch, its result and its history. */
const MAX_BESIDE = 90;
const DEFAULT_KEEP_MS = 86_400_000;

/** The job is done; without options the same as returning nothing. Throws InvalidInputError for what one transaction cannot hold. */
export function complete(options?: CompleteOptions): Verdict {
  if (options === undefined) return { verdict: 'complete' };
  checkOptions(options, COMPLETE_OPTIONS, 'complete');
  for (const name of ['enqueue', 'transact'] as const) {
    const list: unknown = options[name];
    if (list !== undefined && !Array.isArray(list)) throw new InvalidInputError(name, list, 'Give an array.');
  }
  const beside = (options.enqueue?.length ?? 0) + (options.transact?.length ?? 0);
  if (beside > MAX_BESIDE) {
    throw new InvalidInputError('enqueue', `${beside} jobs and items`, `One transaction takes ${MAX_BESIDE}; for more make a batch.`);
  }
  return { verdict: 'complete', options };
}

/** JSON text of a completion's result and how long to keep it, in milliseconds; undefined for a job without one. */
export function encodeResult({ result, keepResult }: CompleteOptions): { readonly json: string; readonly keepMs: number } | undefined {
  if (result === undefined) return undefined;
  const json = encodePayload(result, 'result');
  const bytes = utf8Bytes(json);
  if (bytes > LIMITS.resultBytes) {
    throw new InvalidInputError(
      'result',
      `${bytes} bytes`,
      `Use at most ${LIMITS.resultBytes} bytes; put more into S3 and return its key.`,
    );
  }
  return { json, keepMs: keepResult === undefined ? DEFAULT_KEEP_MS : durationMs(keepResult, 'keepResult') };
}

/** Not now: the job runs again after `delay`. Counts against nothing. */
export function snooze(delay: Duration): Verdict {
  return { verdict: 'snooze', delayMs: durationMs(delay, 'snooze') };
}

/**
 * Not finished: the job runs again at once, in a fresh invocation, with `state` in its context. The same attempt goes on: it counts
 * against nothing. `state` is any JSON value of at most 64 KB, and it outlasts failures: a retry resumes from it.
 */
export function continueWith(state: unknown): Verdict {
  return { verdict: 'continue', state: checkState(encodePayload(state, 'state')) };
}

/** Refuses a state that would not leave room for the failure path. */
function checkState(json: string): string {
  const bytes = utf8Bytes(json);
  if (bytes <= LIMITS.stateBytes) return json;
  throw new InvalidInputError('state', `${bytes} bytes`, `Use at most ${LIMITS.stateBytes} bytes; put more into S3 and keep its key.`);
}

/**
 * An expected failure. The job becomes a dead letter at once; with `retry: true` its policy decides, and `retryAfter`
 * replaces the policy's delay.
 */
export function fail(reason: string, options: { readonly retry?: boolean; readonly retryAfter?: Duration } = {}): Verdict {
  const { retry = options.retryAfter !== undefined, retryAfter } = options;
  return {
    verdict: 'fail',
    reason,
    retry,
    ...(retryAfter === undefined ? {} : { retryAfterMs: durationMs(retryAfter, 'retryAfter') }),
  };
}

/** Reads what a handler returned; anything but a verdict or nothing is an error that lists the legal returns. */
export function readVerdict(returned: unknown): Verdict {
  if (returned === undefined || returned === null) return complete();
  const verdict = typeof returned === 'object' && 'verdict' in returned ? (returned as Partial<Verdict>) : undefined;
  if (verdict?.verdict === 'complete') return complete(verdict.options);
  if (verdict?.verdict === 'snooze') return snooze(verdict.delayMs ?? Number.NaN);
  if (verdict?.verdict === 'continue' && typeof verdict.state === 'string')
    return { verdict: 'continue', state: checkState(verdict.state) };
  if (verdict?.verdict === 'fail' && typeof verdict.reason === 'string') {
    const { reason, retry, retryAfterMs } = verdict;
    return fail(reason, { ...(retry === undefined ? {} : { retry }), ...(retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs }) });
  }
  throw new InvalidInputError(
    'handler',
    typeof returned,
    'Return nothing, complete(), snooze(delay), continueWith(state) or fail(reason).',
  );
}
