import { expect, test } from 'vitest';
import { beforeProcessEnds } from '../../../shared/config/system.ts';

test('what is to be done before the process ends is done once, when it has nothing left to do', async () => {
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
