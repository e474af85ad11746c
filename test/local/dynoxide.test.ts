import { expect, test } from 'vitest';
import { startDynoxide } from '../../local/emulators/dynoxide.ts';

test('every one of several databases started at the same time answers, until it is stopped', async () => {
  const started = await Promise.all(Array.from({ length: 8 }, () => startDynoxide({})));
  expect(new Set(started.map(({ endpoint }) => endpoint)).size).toBe(8);
  // It says something more after it listens: nobody taking that used to end it.
  for (const { endpoint } of started) await expect(fetch(endpoint, { method: 'POST' })).resolves.toBeDefined();
  await Promise.all(started.map((database) => database.stop()));
  for (const { endpoint } of started) await expect(fetch(endpoint)).rejects.toThrow('fetch failed');
});
