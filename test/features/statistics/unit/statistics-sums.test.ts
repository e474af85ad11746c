import { expect, test } from 'vitest';
import { StatisticsSums } from '../../../../shared/features/statistics/store/statistics-sums.ts';
import { NOON } from '../../../unit/job/sample-job.ts';

test('what the store refused is added to what has happened since, delays by their buckets too', () => {
  const sums = new StatisticsSums();
  const journal = sums.over({ record: () => {}, gauge: () => {}, flush: () => {} }, () => NOON, 'w');
  const started = { event: 'started', queueDelayMs: 200, runMs: 7 } as const;
  journal.record(started);
  journal.record(started);
  const [refused] = sums.take(NOON, true);
  if (refused === undefined) throw new Error('nothing was summed up');
  expect(refused.sums).toEqual({ started: 2, d16: 2, runs: 2, runMs: 14 });
  journal.record(started);
  sums.giveBack(refused);
  const [minute] = sums.take(NOON, true);
  expect(minute?.sums).toEqual({ started: 3, d16: 3, runs: 3, runMs: 21 });
});
