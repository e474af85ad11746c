import type { StandardSchemaV1 } from '@standard-schema/spec';
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
  throw new InvalidInputError('payload', new Described(`the payload of ${shown(type)}`), `Fix it: ${issues.join('; ')}.`);
}
