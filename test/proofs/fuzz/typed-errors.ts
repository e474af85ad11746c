import { type ErrorCode, InvalidInputError, NightcrewError } from '../../../shared/job/errors.ts';

// oxlint-disable-next-line no-control-regex -- what it looks for
const CONTROL = /[\u0000-\u001f]/;
const LONGEST_MESSAGE = 1_500;

/** The outcome of a call: its result, or the typed error that it threw. */
export type Settled<Result> = { readonly ok: true; readonly value: Result } | { readonly ok: false; readonly error: NightcrewError };

/** Throws unless `error` belongs to the closed family, has one of `codes`, and says on one short line which field it is about. */
export function assertTyped(error: unknown, codes: readonly ErrorCode[]): asserts error is NightcrewError {
  if (!(error instanceof NightcrewError)) throw new Error('An error of no known kind escaped.', { cause: error });
  if (!codes.includes(error.code)) throw new Error(`${error.code} was not expected here: ${error.message}`, { cause: error });
  if (error.message.length > LONGEST_MESSAGE) throw new Error(`The message has ${error.message.length} characters.`);
  if (CONTROL.test(error.message)) throw new Error(`The message holds control characters: ${JSON.stringify(error.message)}`);
  if (error instanceof InvalidInputError && !(error.field !== '' && error.message.startsWith(`${error.field}: `))) {
    throw new Error(`The message names no field: ${error.message}`);
  }
}

/** Calls, and lets only errors of the closed family with one of `codes` pass. */
export function settled<Result>(call: () => Result, codes: readonly ErrorCode[]): Settled<Result> {
  try {
    return { ok: true, value: call() };
  } catch (error) {
    assertTyped(error, codes);
    return { ok: false, error };
  }
}

/** The same for a call that answers later. */
export async function settledLater<Result>(call: () => Promise<Result>, codes: readonly ErrorCode[]): Promise<Settled<Result>> {
  try {
    return { ok: true, value: await call() };
  } catch (error) {
    assertTyped(error, codes);
    return { ok: false, error };
  }
}
