import { describe, expect, it } from 'vitest';
import { dueAgain } from '../../../shared/job/job.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { NOON, readyJob } from './sample-job.ts';

const payload: StandardSchemaV1<object> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as object }) },
};

describe('a job that is due at another time', () => {
  it('has to start by the same time after it', () => {
    const { startBy, ...job } = readyJob({ dueAt: NOON, startBy: NOON + 5 });
    expect(dueAgain({ ...job, startBy: startBy ?? 0 }, NOON + 100)).toEqual({ ...job, dueAt: NOON + 100, startBy: NOON + 105 });
    expect(dueAgain(job, NOON + 100)).toEqual({ ...job, dueAt: NOON + 100 });
  });
});

describe('the expiry of a job type', () => {
  it('is read from its options, and absent without them', () => {
    expect(defineJob('a', { payload, startWithin: 'PT1M', onExpiry: 'finish' })).toMatchObject({
      startWithinMs: 60_000,
      onExpiry: 'finish',
    });
    expect(defineJob('a', { payload, onExpiry: 'dead-letter' })).toMatchObject({ onExpiry: 'dead-letter' });
    const plain = defineJob('a', { payload });
    expect('startWithinMs' in plain || 'onExpiry' in plain).toBe(false);
  });

  it('is refused when it cannot be', () => {
    expect(() => defineJob('a', { payload, startWithin: 'soon' })).toThrow(/^startWithin: "soon" is not valid/);
    expect(() => defineJob('a', { payload, onExpiry: 'vanish' as never })).toThrow(
      'onExpiry: "vanish" is not valid. Use finish or dead-letter.',
    );
  });
});
