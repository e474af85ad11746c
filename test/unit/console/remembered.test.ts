import { expect, test } from 'vitest';
import { remembered } from '../../../console/remembered.ts';
import { ReadStoppedError, readUntil } from '../../../operate/read-until.ts';

test('a load that ended with its sender is begun again for the others that wait for it', async () => {
  const asked = { owner: {}, key: 'groups', ttlMs: 1_000, now: 0 };
  const first = Promise.withResolvers<string>();
  const gone = new AbortController();
  const stopped = readUntil(gone.signal, async () => remembered(asked, async () => first.promise));
  const other = readUntil(new AbortController().signal, async () => remembered(asked, async () => 'read again'));
  gone.abort();
  first.reject(new ReadStoppedError());
  await expect(stopped).rejects.toThrow(ReadStoppedError);
  expect(await other).toBe('read again');
});
