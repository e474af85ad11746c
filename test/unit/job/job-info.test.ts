import { expect, test } from 'vitest';
import { jobInfo } from '../../../shared/job/job-info.ts';
import { FRESH_COUNTERS, type Job } from '../../../shared/job/job.ts';

const job: Job = {
  ...FRESH_COUNTERS,
  id: 'a',
  type: 't',
  payload: '{}',
  kind: 'async',
  worker: 'default',
  lane: 'default',
  priority: 0,
  dueAt: 0,
  createdAt: 0,
  starts: 2,
  rev: 0,
  dispatches: 0,
  chainDepth: 0,
  schemaVersion: 1,
};

test('a handler sees the last errors of its job once an attempt has failed', () => {
  const error = { name: 'TypeError', message: 'no', at: 60_000 };
  expect(jobInfo(job)).not.toHaveProperty('lastErrors');
  expect(jobInfo({ ...job, error })).toMatchObject({ lastErrors: [{ text: 'TypeError: no' }] });
});
