import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expect, test } from 'vitest';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { type UnfitPayloadError, validatePayloadNow } from '../../../shared/job/validate.ts';

const refusing = (path: readonly PropertyKey[]): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ path, message: 'no' }] }) },
});

function refusal(path: readonly PropertyKey[]): UnfitPayloadError {
  try {
    validatePayloadNow(refusing(path), 'order', {});
  } catch (error) {
    return error as UnfitPayloadError;
  }
  throw new Error('it was accepted');
}

test('a payload that does not fit is an invalid input with the places that do not', () => {
  const error = refusal(['lines', 0, 'sku']);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect([error.name, error.paths]).toEqual(['InvalidInputError', ['lines.0.sku']]);
  expect(refusal([]).paths).toEqual(['payload']);
});

test('a place is one line, and no longer than 200 characters', () => {
  expect(refusal(['a\nb']).paths).toEqual(['a b']);
  expect(refusal(['x'.repeat(201)]).paths).toEqual(['x'.repeat(200)]);
});
