import { describe, expect, it } from 'vitest';
import {
  type BatchCounts,
  type BatchHead,
  dueCallbacks,
  hasEnded,
  leavesFor,
  newsForParent,
  outcomeOf,
  sumCounts,
} from '../../../../shared/features/batches/model/batch-progress.ts';

const head = (more: Partial<BatchHead> = {}): BatchHead => ({
  id: 'b',
  state: 'sealed',
  leaves: 16,
  maxFailures: 0,
  createdAt: 0,
  callbacks: [],
  fired: [],
  ...more,
});
const counts = (total: number, succeeded = 0, failed = 0, cancelled = 0): BatchCounts => ({ total, succeeded, failed, cancelled });

describe('what a batch tells', () => {
  it.each([
    ['nothing while it is open', head({ state: 'open' }), counts(1, 1), []],
    ['nothing while a child is left', head(), counts(2, 1), []],
    ['completed and succeeded when all succeeded', head(), counts(2, 2), ['completed', 'succeeded']],
    ['both without any child', head(), counts(0), ['completed', 'succeeded']],
    ['failed at once', head(), counts(3, 0, 1), ['failed']],
    ['no failed while failures are tolerated', head({ maxFailures: 1 }), counts(3, 0, 1), []],
    ['succeeded with tolerated failures', head({ maxFailures: 1 }), counts(2, 1, 1), ['completed', 'succeeded']],
    ['failed beyond what is tolerated', head({ maxFailures: 1 }), counts(2, 0, 2), ['completed', 'failed']],
    ['completed alone when one was cancelled', head(), counts(2, 1, 0, 1), ['completed']],
    ['nothing twice', head({ fired: ['completed', 'failed'] }), counts(2, 1, 1), []],
    ['succeeded after a redrive', head({ fired: ['completed', 'failed'] }), counts(2, 2), ['succeeded']],
    ['nothing while more ended than are counted', head(), counts(1, 2), []],
  ] as const)('%s', (_, batch, given, due) => {
    expect(dueCallbacks(batch, given)).toEqual(due);
  });

  it('ended is every child, whatever became of it', () => {
    expect([hasEnded(counts(3, 1, 1, 1)), hasEnded(counts(3, 1, 1))]).toEqual([true, false]);
    expect([outcomeOf(counts(1, 1), head()), outcomeOf(counts(1, 0, 0, 1), head()), outcomeOf(counts(2, 0, 1, 1), head())]).toEqual([
      'succeeded',
      'cancelled',
      'failed',
    ]);
  });
});

describe('what the parent of a batch learns', () => {
  const nested = (told?: BatchHead['told']): BatchHead => head({ parent: 'p', ...(told === undefined ? {} : { told }) });

  it('is its outcome, once, and that it succeeded after all', () => {
    expect(newsForParent(head(), counts(1, 1))).toBeUndefined();
    expect(newsForParent(nested(), counts(2, 1))).toBeUndefined();
    expect(newsForParent(nested(), counts(1, 0, 1))).toBe('failed');
    expect(newsForParent(nested('failed'), counts(1, 0, 1))).toBeUndefined();
    expect(newsForParent(nested('failed'), counts(1, 1))).toBe('succeeded');
    expect(newsForParent(nested('succeeded'), counts(1, 0, 1))).toBeUndefined();
    expect(newsForParent(nested('succeeded'), counts(1, 1))).toBeUndefined();
  });
});

describe('counters', () => {
  it('are spread wider where many children are expected, or their number is unknown', () => {
    expect([leavesFor(0), leavesFor(1_000), leavesFor(1_001), leavesFor(undefined)]).toEqual([16, 16, 64, 64]);
  });

  it('are summed; what a row does not count is nothing', () => {
    expect(sumCounts([{ total: 2 }, { succeeded: 1 }, { failed: 5, cancelled: 3 }, {}, { failed: -1 }])).toEqual(counts(2, 1, 4, 3));
  });
});
