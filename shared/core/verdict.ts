import { type Duration, durationMs } from './duration.ts';
import { InvalidInputError } from './errors.ts';

/** What a handler may return. Returning nothing completes the job; throwing means unexpected, and is retried. */
export type Verdict =
  | { readonly verdict: 'complete' }
  | { readonly verdict: 'snooze'; readonly delayMs: number }
  | { readonly verdict: 'fail'; readonly reason: string; readonly retry: boolean; readonly retryAfterMs?: number };

/** The job is done. The same as returning nothing. */
export function complete(): Verdict {
  return { verdict: 'complete' };
}

/** Not now: the job runs again after `delay`. Counts against nothing. */
export function snooze(delay: Duration): Verdict {
  return { verdict: 'snooze', delayMs: durationMs(delay, 'snooze') };
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
  if (verdict?.verdict === 'complete') return complete();
  if (verdict?.verdict === 'snooze') return snooze(verdict.delayMs ?? Number.NaN);
  if (verdict?.verdict === 'fail' && typeof verdict.reason === 'string') {
    const { reason, retry, retryAfterMs } = verdict;
    return fail(reason, { ...(retry === undefined ? {} : { retry }), ...(retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs }) });
  }
  throw new InvalidInputError('handler', typeof returned, 'Return nothing, complete(), snooze(delay) or fail(reason).');
}
