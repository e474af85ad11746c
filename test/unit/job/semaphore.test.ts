import { expect, test } from 'vitest';
import { BusyError, Semaphore } from '../../../shared/job/semaphore.ts';

test('no more hold a place at once than there are, those that wait come in their order, and more are refused', async () => {
  const semaphore = new Semaphore(2, 2);
  const begun: number[] = [];
  const all = [0, 1, 2, 3].map(async (number) => {
    await semaphore.acquire();
    begun.push(number);
  });
  await Promise.all(all.slice(0, 2));
  expect(begun).toEqual([0, 1]);
  const refused = semaphore.acquire();
  await expect(refused).rejects.toThrow(BusyError);
  await expect(refused).rejects.toMatchObject({ name: 'BusyError' });
  semaphore.release();
  await all[2];
  expect(begun).toEqual([0, 1, 2]);
  semaphore.release();
  await all[3];
  semaphore.release();
  await semaphore.acquire();
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('who gives up while it waits never gets a place, and the next one does', async () => {
  const semaphore = new Semaphore(1, 1);
  await semaphore.acquire();
  const impatient = new AbortController();
  const waiting = semaphore.acquire(impatient.signal);
  impatient.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const next = semaphore.acquire(new AbortController().signal);
  semaphore.release();
  await next;
});

test('who has given up before it asks takes no place', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.acquire(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  await semaphore.acquire();
});

test('a signal that is aborted after its place was taken leaves the line alone', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire();
  const served = new AbortController();
  const second = semaphore.acquire(served.signal);
  semaphore.release();
  await second;
  const third = semaphore.acquire();
  served.abort();
  semaphore.release();
  await expect(third).resolves.toBeUndefined();
});
