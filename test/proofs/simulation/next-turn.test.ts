import { expect, it } from 'vitest';
import { nextTurn } from './world/next-turn.ts';

it('a turn comes to each of many who wait at once', async () => {
  const turns = Array.from({ length: 40 }, async (_, n) => nextTurn().then(() => n));
  expect(await Promise.all(turns)).toHaveLength(40);
});
