import type { StandardSchemaV1 } from '@standard-schema/spec';

/** Accepts any payload. */
export const anyPayload: StandardSchemaV1<Record<string, unknown>> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Record<string, unknown> }) },
};
