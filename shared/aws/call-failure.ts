import { StoreRefusedError, StoreUnavailableError } from '../core/errors.ts';

/** What an error of the SDK tells, as far as it tells it. */
export interface CallFailure {
  readonly name: string;
  /** Attempts of the call that ended with the error. */
  readonly attempts: number;
  readonly status?: number;
}

const THROTTLED = new Set([
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);
// What these say of one attempt they say of every attempt with the same parameters.
const SAME_FOR_EVERY_ATTEMPT = new Set([
  'ValidationException',
  'IdempotentParameterMismatchException',
  'ItemCollectionSizeLimitExceededException',
]);

/** Reads what can be read from whatever an SDK call threw. */
export function failureOf(error: unknown): CallFailure {
  const { name, $metadata } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly name?: unknown;
    readonly $metadata?: { readonly attempts?: number; readonly httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  return {
    name: typeof name === 'string' ? name : 'unknown',
    attempts: $metadata?.attempts ?? 1,
    ...(status === undefined ? {} : { status }),
  };
}

/**
 * The port's error for a call that failed. A refusal says that nothing was written, so it is only given where that is known:
 * access denied on a second attempt may follow a first one that was applied.
 */
export function portError(operation: string, error: unknown): StoreUnavailableError | StoreRefusedError {
  if (error instanceof StoreUnavailableError || error instanceof StoreRefusedError) return error;
  const { name, attempts, status } = failureOf(error);
  const isRefusal = status !== undefined && status >= 400 && status < 500 && status !== 429 && !THROTTLED.has(name);
  if (isRefusal && (attempts <= 1 || SAME_FOR_EVERY_ATTEMPT.has(name))) return new StoreRefusedError(operation, error);
  return new StoreUnavailableError(operation, error);
}
