import type { CancellationReason } from '@aws-sdk/client-dynamodb';

/**
 * What a cancelled transaction means:
 * - `conditions`: a condition failed; the caller decides
 * - `conflict`: another transaction was at one of the rows; try again
 * - `throttled`: try again, later
 * - `refused`: it can never be applied as it is
 */
export type Cancellation = 'conditions' | 'conflict' | 'throttled' | 'refused';

const KINDS: Readonly<Record<string, Cancellation | 'none'>> = {
  None: 'none',
  ConditionalCheckFailed: 'conditions',
  // PartiQL's name for a put of a row that is there.
  DuplicateItem: 'conditions',
  TransactionConflict: 'conflict',
  ProvisionedThroughputExceeded: 'throttled',
  ThrottlingError: 'throttled',
  RequestLimitExceeded: 'throttled',
  InternalServerError: 'throttled',
  ItemCollectionSizeLimitExceeded: 'refused',
  ValidationError: 'refused',
  ResourceNotFound: 'refused',
  AccessDenied: 'refused',
};

/** What one code means; a code that is not known is a refusal, because trying again would not end. */
export function kindOfReason(code: string | undefined): Cancellation | 'none' {
  return (code === undefined ? 'none' : Object.hasOwn(KINDS, code) ? KINDS[code] : undefined) ?? 'refused';
}

/** Classifies a cancellation as a whole. A failed condition takes precedence: the caller may leave that write out and retry. */
export function kindOfCancellation(reasons: readonly CancellationReason[]): Cancellation {
  const kinds = new Set(reasons.map((reason) => kindOfReason(reason.Code)));
  return (['conditions', 'refused', 'throttled', 'conflict'] as const).find((kind) => kinds.has(kind)) ?? 'refused';
}
