import { expect, onTestFinished, test, vi } from 'vitest';
import { systemEntropy } from '../../../shared/adapters/system.ts';

test('tokens are 16 bytes of chance each, and no two are the same, however many are drawn', () => {
  const tokens = Array.from({ length: 1_000 }, () => systemEntropy.token());
  expect(new Set(tokens).size).toBe(1_000);
  expect(tokens.every((token) => Buffer.from(token, 'base64url').length === 16)).toBe(true);
});

test.each([
  ['snap-start', [16, 16, 16]],
  ['on-demand', [1_024]],
])('a sandbox of initialization type %s asks the system for chance of these sizes: %j', async (type, sizes) => {
  const asked: number[] = [];
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', type);
  vi.resetModules();
  vi.doMock('node:crypto', async (original) => {
    const { randomBytes } = await original<typeof import('node:crypto')>();
    return { randomBytes: (size: number) => (asked.push(size), randomBytes(size)) };
  });
  onTestFinished(() => {
    vi.doUnmock('node:crypto');
    vi.resetModules();
    vi.unstubAllEnvs();
  });
  const { systemEntropy: fresh } = await import('../../../shared/adapters/system.ts');
  expect(new Set([fresh.token(), fresh.token(), fresh.token()]).size).toBe(3);
  // A snapshot is taken between any two of them: bytes that are left over would be in all that is restored from it.
  expect(asked).toEqual(sizes);
});
