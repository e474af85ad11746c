import type { StandardSchemaV1 } from '@standard-schema/spec';
import { decodePayload } from './payload.ts';
import { DefinitionThrewError, Described, InvalidInputError, NightcrewError, shown } from './errors.ts';

type Result<Output> = StandardSchemaV1.Result<Output>;

/** A payload as its schema gives it out; within an object, because a promise would take a payload with a `then` for another promise. */
export interface ValidPayload<Output> {
  readonly output: Output;
}

/**
 * The payload as the schema gives it out. Throws InvalidInputError with the first issues, each with its path; never the value. A
 * schema that throws becomes a DefinitionThrewError.
 */
export async function validatePayload<Output>(
  schema: StandardSchemaV1<unknown, Output>,
  type: string,
  payload: unknown,
): Promise<ValidPayload<Output>> {
  const result = await Promise.resolve(ask(schema, type, payload)).catch((cause: unknown) => threw(type, cause));
  return { output: accepted(result, type) };
}

/** The same for a schema that answers at once; an asynchronous one is refused. */
export function validatePayloadNow<Output>(schema: StandardSchemaV1<unknown, Output>, type: string, payload: unknown): Output {
  const result = ask(schema, type, payload);
  if (result instanceof Promise) {
    throw new InvalidInputError(
      'payload',
      new Described(`the payload of ${shown(type)}`),
      'Its schema validates asynchronously; prepare() needs one that answers at once. Use enqueue().',
    );
  }
  return accepted(result, type);
}

/** What `JSON.stringify` makes of a Date. */
const DATE_TEXT = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/;

/**
 * Whether the schema takes the payload as it is stored, where it may hold a Date: JSON makes a text of it, and a schema that takes only
 * Dates would refuse every run. Throws InvalidInputError.
 */
export async function validateStored(schema: StandardSchemaV1, type: string, json: string): Promise<void> {
  if (DATE_TEXT.test(json)) await validatePayload(schema, type, decodePayload(json)).catch(refusedAsStored);
}

/** The same for a schema that answers at once. */
export function validateStoredNow(schema: StandardSchemaV1, type: string, json: string): void {
  if (!DATE_TEXT.test(json)) return;
  try {
    validatePayloadNow(schema, type, decodePayload(json));
  } catch (error) {
    refusedAsStored(error);
  }
}

function refusedAsStored(cause: unknown): never {
  if (!(cause instanceof InvalidInputError)) throw cause;
  const fix = `Stored as JSON, a Date becomes a text, and its schema refuses that: ${cause.fix} Take a text or a Date, such as z.coerce.date().`;
  throw new InvalidInputError('payload', new Described('a payload with a Date'), fix, { cause });
}

function ask<Output>(schema: StandardSchemaV1<unknown, Output>, type: string, payload: unknown): Result<Output> | Promise<Result<Output>> {
  try {
    return schema['~standard'].validate(payload);
  } catch (cause) {
    return threw(type, cause);
  }
}

function threw(type: string, cause: unknown): never {
  throw cause instanceof NightcrewError ? cause : new DefinitionThrewError('payload', type, cause);
}

function accepted<Output>(result: Result<Output>, type: string): Output {
  if (!result.issues) return result.value;
  const issues = result.issues.slice(0, 5).map((issue) => {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return `${path || 'payload'}: ${issue.message.slice(0, 200)}`;
  });
  throw new InvalidInputError('payload', new Described(`the payload of ${shown(type)}`), `Mend it: ${issues.join('; ')}.`);
}
