import { StoreRefusedError, StoreUnavailableError } from '../../job/errors.ts';
import { type Attempts, statusOf } from './attempts.ts';

const THROTTLED = new Set([
  'KmsThrottled',
  'LimitExceededException',
  'OverLimit',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);
// These hold for every attempt with the same parameters.
const SAME_FOR_EVERY_ATTEMPT = new Set([
  'ValidationException',
  'IdempotentParameterMismatchException',
  'ItemCollectionSizeLimitExceededException',
]);

/** The name of an error of the SDK. */
export function nameOf(error: unknown): string {
  const { name } = (typeof error === 'object' && error !== null ? error : {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : 'unknown';
}

/** Whether a code means that the same request may succeed later. A service prefix is ignored. */
export function isThrottle(code: string | undefined): boolean {
  return THROTTLED.has(code?.split(/[.#]/).at(-1) ?? '');
}

/** Whether a call ended without an answer, or with one after which the same call may pass: throttled, or an error of the service. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status < 400 || status >= 500 || status === 429 || isThrottle(nameOf(error));
}

/**
 * The port's error for a call that failed. A refusal means that nothing was written, so it is only returned if no attempt may have been
 * applied: access denied on a second attempt may follow a first one that was.
 */
export function portError(operation: string, error: unknown, attempts?: Attempts): StoreUnavailableError | StoreRefusedError {
  if (error instanceof StoreUnavailableError || error instanceof StoreRefusedError) return error;
  const name = nameOf(error);
  const refused = !isPassing(error) && name !== 'TransactionConflictException';
  const nothingWritten = (attempts?.unsure ?? 0) === 0 || SAME_FOR_EVERY_ATTEMPT.has(name);
  return refused && nothingWritten
    ? new StoreRefusedError(operation, error, { invalid: SAME_FOR_EVERY_ATTEMPT.has(name) })
    : new StoreUnavailableError(operation, error);
}
