import { describe, expect, it } from 'vitest';
import { gapBefore, gapName, gapText } from '../../../shared/features/history/model/attempt-gaps.ts';

describe('attempts without a record', () => {
  it('are those before the first recorded one and between two of them', () => {
    expect(gapBefore({ attempt: 1, outcome: 'retried' })).toBeUndefined();
    expect(gapBefore({ attempt: 2, outcome: 'completed' })).toEqual({ from: 1, to: 1 });
    expect(gapBefore({ attempt: 2, outcome: 'completed' }, { attempt: 1, outcome: 'retried' })).toBeUndefined();
    expect(gapBefore({ attempt: 5, outcome: 'completed' }, { attempt: 1, outcome: 'retried' })).toEqual({ from: 2, to: 4 });
  });

  it('are none where a run goes on under the number of the one before', () => {
    expect(gapBefore({ attempt: 2, outcome: 'completed' }, { attempt: 2, outcome: 'continued' })).toBeUndefined();
    expect(gapBefore({ attempt: 2, outcome: 'completed' }, { attempt: 2, outcome: 'given-back' })).toBeUndefined();
  });

  it('are counted from 1 again after a redrive', () => {
    expect(gapBefore({ attempt: 1, outcome: 'completed' }, { attempt: 3, outcome: 'dead-lettered' })).toBeUndefined();
    expect(gapBefore({ attempt: 4, outcome: 'completed' }, { attempt: 2, outcome: 'dead-lettered' })).toEqual({ from: 1, to: 3 });
    expect(gapBefore({ attempt: 2, outcome: 'completed' }, { attempt: 3, outcome: 'retried' })).toEqual({ from: 1, to: 1 });
  });

  it('are named and told in words, one or several', () => {
    expect([gapName({ from: 2, to: 2 }), gapName({ from: 2, to: 4 })]).toEqual(['attempt 2', 'attempts 2 to 4']);
    expect(gapText({ from: 2, to: 2 })).toMatch(/^no record: /);
    expect(gapText({ from: 2, to: 4 })).toMatch(/^no records: /);
  });
});
