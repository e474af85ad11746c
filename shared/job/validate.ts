import type { StandardSchemaV1 } from '@standard-schema/spec';
import { DefinitionThrewError, Described, InvalidInputError, NightcrewError, shown } from './errors.ts';
import { onOneLine } from './shown.ts';

type Result<Output> = StandardSchemaV1.Result<Output>;

/** A payload as its schema gives it out; within an object, because a promise would take a payload with a `then` for another promise. */
export interface ValidPayload<Output> {
  readonly output: Output;
}

/** A payload does not fit its schema. `paths` says where; the messages of the schema, which may quote what is there, are in `fix`. */
export class UnfitPayloadError extends InvalidInputError {
  readonly paths: readonly string[];

  constructor(type: string, issues: readonly { readonly path: string; readonly message: string }[]) {
    const fix = issues.map(({ path, message }) => `${path}: ${message.slice(0, 200)}`);
    super('payload', new Described(`the payload of ${shown(type)}`), `Fix it: ${fix.join('; ')}.`);
    this.name = 'InvalidInputError';
    this.paths = issues.map(({ path }) => onOneLine(path.slice(0, 200)));
  }
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
      'Its schema validates asynchronously; prepare() needs a synchronous one. Use enqueue().',
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
  const issues = result.issues.slice(0, 5).map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
    return { path: keys.join('.') || 'payload', message };
  });
  throw new UnfitPayloadError(type, issues);
}
