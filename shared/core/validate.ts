import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidInputError } from './errors.ts';

type Result<Output> = StandardSchemaV1.Result<Output>;

/** The payload as the schema gives it out. Throws InvalidInputError with the first issues, each with its path; never the value. */
export async function validatePayload<Output>(schema: StandardSchemaV1<unknown, Output>, type: string, payload: unknown): Promise<Output> {
  return accepted(await schema['~standard'].validate(payload), type);
}

/** The same for a schema that answers at once; an asynchronous one is refused. */
export function validatePayloadNow<Output>(schema: StandardSchemaV1<unknown, Output>, type: string, payload: unknown): Output {
  const result = schema['~standard'].validate(payload);
  if (result instanceof Promise) {
    throw new InvalidInputError(
      'payload',
      type,
      'Its schema validates asynchronously; prepare() needs one that answers at once. Use enqueue().',
    );
  }
  return accepted(result, type);
}

function accepted<Output>(result: Result<Output>, type: string): Output {
  if (!result.issues) return result.value;
  const issues = result.issues.slice(0, 5).map((issue) => {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return `${path || 'payload'}: ${issue.message.slice(0, 200)}`;
  });
  throw new InvalidInputError('payload', `of ${type}`, `Mend it: ${issues.join('; ')}.`);
}
