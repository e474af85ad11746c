import { Described, InvalidInputError, kindOf, shown, UpcastThrewError } from './errors.ts';
import { decodePayload, encodePayload } from './payload.ts';

/**
 * Makes a payload of the next version out of one of this version, as a producer of the next version would have enqueued it. It must
 * answer at once, give JSON, and give the same for the same payload: it runs again with each attempt.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- nothing checks an old payload any more: its step knows what it holds
export type Upcast = (payload: any) => unknown;

/** A step for each version before the present one: `{ 1: fn, 2: fn }` for version 3. */
export type Upcasts = Readonly<Record<number, Upcast>>;

/** A payload as it is stored. */
export interface StoredPayload {
  /** JSON text. */
  readonly payload: string;
  readonly schemaVersion: number;
}

/** What lifts payloads to the version of the code; `upcasts[0]` makes version 2 of version 1. */
export interface Lifter {
  readonly name: string;
  readonly upcasts: readonly Upcast[];
  /** Says how large a payload may be. */
  readonly codec?: { readonly payloadBytes?: number };
}

const MAX_VERSIONS = 1_000;

/** The version of a payload's shape, and a step for each version before it. Refuses steps that are missing, or that lead nowhere. */
export function checkVersion(version: unknown, steps: unknown): Pick<Lifter, 'upcasts'> & { readonly schemaVersion: number } {
  if (!isVersion(version)) {
    throw new InvalidInputError('version', version, `Use a whole number from 1 to ${MAX_VERSIONS}.`);
  }
  if (steps !== undefined && (typeof steps !== 'object' || steps === null || Array.isArray(steps))) {
    throw new InvalidInputError('upcast', kindOf(steps), 'Give an object with a function for each older version, such as { 1: fn }.');
  }
  const given = new Map(Object.entries(steps ?? {}));
  const upcasts = Array.from({ length: version - 1 }, (_, index) => checkStep(index + 1, given.get(String(index + 1)), version));
  for (const name of given.keys()) {
    if (Number(name) >= 1 && Number(name) < version && String(Number(name)) === name && Number.isInteger(Number(name))) continue;
    const known = version === 1 ? 'Version 1 has none before it: raise version.' : `Steps are those from 1 to ${version - 1}.`;
    throw new InvalidInputError(`upcast.${name}`, kindOf(given.get(name)), known);
  }
  return { schemaVersion: version, upcasts };
}

const isVersion = (given: unknown): given is number => Number.isSafeInteger(given) && Number(given) >= 1 && Number(given) <= MAX_VERSIONS;

function checkStep(from: number, step: unknown, version: number): Upcast {
  if (typeof step === 'function') return step as Upcast;
  throw new InvalidInputError(
    `upcast.${from}`,
    kindOf(step),
    `Version ${version} needs a function that turns a payload of version ${from} into one of version ${from + 1}. ` +
      'If no such job can be left, let it throw.',
  );
}

/**
 * The value of a stored payload in the shape of the code: one that is older is lifted step by step. Throws UpcastThrewError when a step
 * throws, InvalidInputError for what a step gives that is no JSON. A newer one is given as it is.
 */
export function liftPayload({ name, upcasts, codec }: Lifter, { payload, schemaVersion }: StoredPayload): unknown {
  const from = Math.max(1, schemaVersion);
  const stored = decodePayload(payload);
  const steps = upcasts.slice(from - 1);
  if (steps.length === 0) return stored;
  const lifted = steps.reduce((value, step, index) => takeStep(name, step, { from: from + index, value }), stored);
  // What is no JSON, too large or hostile is refused as if it had been enqueued.
  return decodePayload(encodePayload(lifted, 'payload', codec?.payloadBytes));
}

function takeStep(type: string, step: Upcast, { from, value }: { readonly from: number; readonly value: unknown }): unknown {
  let lifted: unknown;
  try {
    lifted = step(value);
  } catch (cause) {
    throw new UpcastThrewError(type, from, cause);
  }
  if (lifted instanceof Promise) {
    lifted.catch(() => {});
    throw new InvalidInputError(
      `upcast.${from}`,
      new Described(`a promise, which the step of ${shown(type)} gave,`),
      'A step must be synchronous. Load missing data in the handler.',
    );
  }
  return lifted;
}

/** What of a row changes when its payload is lifted for good; nothing for one of the code's own version. */
export function liftedFields(
  type: Lifter & Pick<StoredPayload, 'schemaVersion'>,
  stored: StoredPayload,
): Readonly<Record<string, string | number>> {
  if (!isOlder(type, stored)) return {};
  return { payload: JSON.stringify(liftPayload(type, stored)), schemaVersion: type.schemaVersion };
}

/** Whether a step of the type lifts the payload. */
export const isOlder = ({ upcasts }: Pick<Lifter, 'upcasts'>, { schemaVersion }: Pick<StoredPayload, 'schemaVersion'>): boolean =>
  upcasts.length >= Math.max(1, schemaVersion);

/** Whether code of this version cannot know what the payload holds, because a newer version wrote it. */
export const isNewer = (type: { readonly schemaVersion: number }, job: Pick<StoredPayload, 'schemaVersion'>): boolean =>
  job.schemaVersion > type.schemaVersion;
