import { expect, it } from 'vitest';
import { splitMail } from '../../examples/moving-jobs/split-mail.ts';

it('jobs that wait for a worker run on the one that they were moved to', async () => {
  const story = await splitMail();
  expect(story).toContain('2 jobs would be moved');
  expect(story).toContain('done: 2 moved');
  expect(story.filter((line) => line.startsWith('the ')).toSorted()).toEqual([
    'the mail worker wrote to anna',
    'the mail worker wrote to ben',
  ]);
  expect(story.at(-1)).toMatch(/^audit: .*mail has a worker of its own$/);
});
