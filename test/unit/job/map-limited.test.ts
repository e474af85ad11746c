import { describe, expect, test } from 'vitest';
import { mapLimited } from '../../../shared/job/map-limited.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('work with a limit', () => {
  test.each([
    [1, 1],
    [3, 3],
    [10, 7],
  ])('of %i has at most %i of seven items under way, and as many as it may', async (limit, most) => {
    let [underWay, seen] = [0, 0];
    await mapLimited([1, 2, 3, 4, 5, 6, 7], limit, async () => {
      seen = Math.max(seen, ++underWay);
      await turn();
      underWay--;
    });
    expect(seen).toBe(most);
  });

  test('begins in order, knows each index and answers in order, whichever is done first', async () => {
    const begun: number[] = [];
    const results = await mapLimited(['a', 'b', 'c'], 2, async (item, index) => {
      begun.push(index);
      if (index === 0) for (let n = 0; n < 5; n++) await turn();
      return item + String(index);
    });
    expect(begun).toEqual([0, 1, 2]);
    expect(results).toEqual(['a0', 'b1', 'c2']);
  });

  test('goes on after a failure, and then fails with the first', async () => {
    const done: number[] = [];
    const work = mapLimited([0, 1, 2, 3], 1, async (item) => {
      done.push(item);
      if (item === 1 || item === 2) throw new Error(`item ${item}`);
    });
    await expect(work).rejects.toThrow('item 1');
    expect(done).toEqual([0, 1, 2, 3]);
  });

  test('of nothing is nothing', async () => expect(await mapLimited([], 5, () => Promise.reject(new Error('called')))).toEqual([]));
});
