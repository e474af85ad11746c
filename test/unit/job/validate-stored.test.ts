import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { DefinitionThrewError, InvalidInputError } from '../../../shared/job/errors.ts';
import { validateStored, validateStoredNow } from '../../../shared/job/validate-stored.ts';

const AT = '{"at":"2026-01-31T14:05:09.123Z"}';
const dates = z.object({ at: z.date() });
const coerced = z.object({ at: z.coerce.date() });
const throwing: StandardSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => {
      throw new Error('a definition of the user');
    },
  },
};

describe.each([
  ['at once', (schema: StandardSchemaV1, json: string) => new Promise<void>((resolve) => resolve(validateStoredNow(schema, 't', json)))],
  ['by a promise', async (schema: StandardSchemaV1, json: string) => validateStored(schema, 't', json)],
])('a payload as it is stored, validated %s', (_how, validate) => {
  test('is refused where the schema takes a Date and finds its text, with the fix', async () => {
    const refused = await validate(dates, AT).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidInputError);
    expect(refused).toMatchObject({ field: 'payload', cause: expect.any(InvalidInputError) });
    expect(String(refused)).toContain('a payload with a Date');
    expect(String(refused)).toMatch(/Stored as JSON, a Date becomes a text.*at:.*z\.coerce\.date\(\)/);
  });

  test('is taken where the schema makes a Date of the text', async () => expect(await validate(coerced, AT)).toBeUndefined());

  test('passes on what the schema itself throws', async () =>
    expect(await validate(throwing, AT).catch((error: unknown) => error)).toBeInstanceOf(DefinitionThrewError));

  test.each(['{"at":"31 January"}', '{"at":"2026-01-31T14:05:09Z"}', '{"at":"x2026-01-31T14:05:09.123Z"}', '{}'])(
    'costs nothing where no Date can be in it: %s',
    async (json) => {
      const schema = z.unknown();
      const asked = vi.spyOn(schema['~standard'], 'validate');
      await validate(schema, json);
      expect(asked).not.toHaveBeenCalled();
    },
  );
});
