import { StoreRefusedError, StoreUnavailableError } from './errors.ts';

/** A transaction may have been applied so long ago that the store no longer knows its token: repeating it could apply it twice. */
export function outcomeUnknown(operation: string, cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    operation,
    cause,
    'the outcome is unknown: an attempt was made and its answer lost. Look before you repeat it.',
  );
}

/** Whether the store failed and not what was asked of it: a job is not to blame for this, so it is no attempt and no crash. */
export function failedByStore(error: unknown): boolean {
  return error instanceof StoreUnavailableError || (error instanceof StoreRefusedError && !error.invalid);
}
