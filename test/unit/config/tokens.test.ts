import { expect, test } from 'vitest';
import { systemEntropy } from '../../../shared/config/system.ts';

test('tokens are 16 bytes of chance each, and no two are the same, however many are drawn', () => {
  const tokens = Array.from({ length: 1_000 }, () => systemEntropy.token());
  expect(new Set(tokens).size).toBe(1_000);
  expect(tokens.every((token) => Buffer.from(token, 'base64url').length === 16)).toBe(true);
});
