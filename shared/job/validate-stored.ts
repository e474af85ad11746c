import type { StandardSchemaV1 } from '@standard-schema/spec';
import { Described, InvalidInputError } from './errors.ts';
import { decodePayload } from './payload.ts';
import { validatePayload, validatePayloadNow } from './validate.ts';

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
