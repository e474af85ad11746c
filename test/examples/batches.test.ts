import { expect, test } from 'vitest';
import { runNewsletter } from '../../examples/batches/newsletter.ts';

test('batches tell of their end once: well, with tolerated failures, after a redrive, cancelled, and of one within another', async () => {
  const story = await runNewsletter();
  expect(story.toSorted()).toEqual(
    [
      'May completed: 3 of 3 sent, 0 failed, 0 cancelled',
      'May succeeded: 3 of 3 sent, 0 failed, 0 cancelled',
      'June completed: 4 of 5 sent, 1 failed, 0 cancelled',
      'June succeeded: 4 of 5 sent, 1 failed, 0 cancelled',
      'July completed: 1 of 2 sent, 1 failed, 0 cancelled',
      'July failed: 1 of 2 sent, 1 failed, 0 cancelled',
      'July succeeded: 2 of 2 sent, 0 failed, 0 cancelled',
      'August completed: 0 of 2 sent, 0 failed, 2 cancelled',
      'the year succeeded: 2 of 2 sent, 0 failed, 0 cancelled',
    ].toSorted(),
  );
  expect(story.findIndex((line) => line.startsWith('July succeeded'))).toBe(6);
});
