import { expect, test } from 'vitest';
import { BusyError, createTurns } from '../../../console/security/turns.ts';

const here = (): AbortSignal => new AbortController().signal;

test('no more requests work at once than there are turns, those that wait go on in their order, and more are refused', async () => {
  const turns = createTurns({ atOnce: 2, waiting: 2 });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((number) =>
    turns.run(here(), async () => {
      begun.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  await expect(turns.run(here(), async () => {})).rejects.toThrow(BusyError);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(await turns.run(here(), async () => 'free again')).toBe('free again');
});

test('a request whose sender has gone gives its place up and never works', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 1 });
  const first = Promise.withResolvers<void>();
  const working = turns.run(here(), async () => first.promise);
  const gone = new AbortController();
  const waiting = turns.run(gone.signal, async () => expect.unreachable());
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const next = turns.run(here(), async () => 'mine');
  first.resolve();
  await working;
  expect(await next).toBe('mine');
});
