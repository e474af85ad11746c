import type { StandardSchemaV1 } from '@standard-schema/spec';

/** A schema that accepts anything: payload validation is the user's, and neither side of a comparison has one. */
export function anyPayload<Payload>(): StandardSchemaV1<Payload, Payload> {
  return { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value: value as Payload }) } };
}
