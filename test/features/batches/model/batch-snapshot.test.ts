import { describe, expect, it } from 'vitest';
import type { BatchHead } from '../../../../shared/features/batches/model/batch-progress.ts';
import { progressOf } from '../../../../shared/features/batches/model/batch-snapshot.ts';
import { NOON } from '../../../unit/job/sample-job.ts';

const head = (more: Partial<BatchHead> = {}): BatchHead => ({ id: 'b', state: 'sealed', createdAt: NOON, fired: [], ...more }) as BatchHead;
const counts = (succeeded: number, failed: number, cancelled: number) => ({ total: 6, succeeded, failed, cancelled });

describe('a batch as it is shown', () => {
  it('has what it was given, and nothing that it was not', () => {
    expect(progressOf({ head: head(), counts: counts(1, 0, 0) })).toStrictEqual({
      id: 'b',
      state: 'sealed',
      ...counts(1, 0, 0),
      pending: 5,
      fired: [],
      createdAt: new Date(NOON),
    });
    const named = head({ name: 'n', tenant: 't', parent: 'p', sealedAt: NOON + 1, state: 'open' });
    expect(progressOf({ head: named, counts: counts(1, 0, 0) })).toMatchObject({
      name: 'n',
      tenant: 't',
      parent: 'p',
      state: 'open',
      sealedAt: new Date(NOON + 1),
    });
  });

  it('says how many children did not end yet, and never fewer than none', () => {
    expect(progressOf({ head: head(), counts: counts(1, 2, 3) }).pending).toBe(0);
    expect(progressOf({ head: head(), counts: counts(1, 1, 1) }).pending).toBe(3);
    expect(progressOf({ head: head(), counts: counts(6, 1, 0) }).pending).toBe(0);
  });

  it('is cancelled from then on until it has finished', () => {
    const cancelled = head({ cancelledAt: NOON + 2 });
    expect(progressOf({ head: cancelled, counts: counts(1, 0, 2) })).toMatchObject({ state: 'cancelled', cancelledAt: new Date(NOON + 2) });
    const finished = { ...cancelled, finishedAt: NOON + 3 };
    expect(progressOf({ head: finished, counts: counts(4, 0, 2) })).toMatchObject({ state: 'finished', finishedAt: new Date(NOON + 3) });
  });

  it('has finished, with an outcome, when that was noted and every child has ended', () => {
    const finished = head({ finishedAt: NOON + 3 });
    expect(progressOf({ head: finished, counts: counts(6, 0, 0) })).toMatchObject({ state: 'finished', outcome: 'succeeded' });
    expect(progressOf({ head: finished, counts: counts(5, 0, 0) })).toMatchObject({ state: 'sealed' });
    expect(progressOf({ head: finished, counts: counts(5, 0, 0) })).not.toHaveProperty('outcome');
    expect(progressOf({ head: head(), counts: counts(6, 0, 0) })).not.toHaveProperty('outcome');
  });
});
