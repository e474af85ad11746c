import { expect, test } from 'vitest';
import { shrinkList } from './shrink-list.ts';

const NUMBERS = Array.from({ length: 100 }, (_, index) => index);

test.each([[[]], [[3]], [[0, 99]], [[17, 50, 51]]])('only %j is left of a hundred when it takes them', async (needed) => {
  let tries = 0;
  const left = await shrinkList(NUMBERS, async (items) => {
    tries++;
    return needed.every((one) => items.includes(one));
  });
  expect(left).toEqual(needed);
  expect(tries).toBeLessThan(60);
});

test('nothing is taken away when everything is needed', async () => {
  expect(await shrinkList([1, 2, 3], async (items) => items.length === 3)).toEqual([1, 2, 3]);
});
