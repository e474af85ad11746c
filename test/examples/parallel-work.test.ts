import { expect, test } from 'vitest';
import { runQuotes } from '../../examples/parallel-work/quotes.ts';

test('a task that fails repeats all tasks of its job, and what follows happens once', async () => {
  expect(await runQuotes('one job')).toEqual({ asked: { north: 2, east: 2, south: 2, west: 2 }, chosen: 1 });
});

test('a task that is a job of its own is repeated alone, and the batch joins once', async () => {
  expect(await runQuotes('batch')).toEqual({ asked: { north: 1, east: 1, south: 2, west: 1 }, chosen: 1 });
});
