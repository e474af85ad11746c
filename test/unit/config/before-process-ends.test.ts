import { beforeEach, expect, test, vi } from 'vitest';
import { deploymentEnvironment } from '../../../shared/index.ts';

// Sessions that other tests of this process opened may wait for its end already.
beforeEach(() => vi.resetModules());

test('what is to be done before the process ends is done once, when it has nothing left to do', async () => {
  const { beforeProcessEnds } = await import('../../../shared/adapters/system.ts');
  const known = process.listeners('beforeExit');
  const done: string[] = [];
  beforeProcessEnds(async () => void done.push('a'));
  beforeProcessEnds(async () => void done.push('b'));
  const added = process.listeners('beforeExit').filter((listener) => !known.includes(listener));
  expect([added.length, done]).toEqual([1, []]);
  added[0]?.(0);
  process.removeListener('beforeExit', added[0] as () => void);
  await Promise.resolve();
  expect(done).toEqual(['a', 'b']);
});

test('a session of a foreign worker writes what it summed up before its process ends', async () => {
  const { external } = await import('../../../functions/index.ts');
  const before = process.listenerCount('beforeExit');
  external('default', { environment: deploymentEnvironment() });
  expect(process.listenerCount('beforeExit')).toBe(before + 1);
});
