import { expect, test } from 'vitest';
import { runMerger } from '../../examples/batches/merger.ts';
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

test('a batch that is given to another tenant takes its callback along, and its jobs follow unless they have finished', async () => {
  const story = await runMerger();
  expect(story.slice(0, 3)).toEqual(['acme sends to alice', 'alone: in-batch', '3 jobs follow']);
  expect(story.slice(3).toSorted()).toEqual([
    'globex reads of Monday: 3 of 4 sent, batch of globex',
    'globex sends to bob',
    'globex sends to carol',
  ]);
});
