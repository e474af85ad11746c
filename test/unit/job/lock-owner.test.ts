import { describe, expect, test } from 'vitest';
import { executorOwner, isQueueOwner, queueOwner, ranAlone, redispatchesOf, waitsAlone } from '../../../shared/job/lock-owner.ts';

describe('the owner of a lock', () => {
  test('says in its text who holds the row, for readers of the AWS console', () => {
    expect([queueOwner('t'), queueOwner('t', 3), queueOwner('t', 3, true)]).toEqual(['queue/0/t', 'queue/3/t', 'queue/3/alone/t']);
    expect([executorOwner('t', false), executorOwner('t', true)]).toEqual(['run/t', 'alone/t']);
  });

  test('is a queue or an executor', () => {
    expect([queueOwner('t'), queueOwner('t', 1, true)].map(isQueueOwner)).toEqual([true, true]);
    expect([executorOwner('t', false), executorOwner('t', true), '', 'xqueue/0/t'].map(isQueueOwner)).toEqual([false, false, false, false]);
  });

  test('ran alone only if it is an executor that ran nothing beside it', () => {
    expect([executorOwner('t', true), executorOwner('t', false), queueOwner('t', 0, true)].map(ranAlone)).toEqual([true, false, false]);
  });

  test('waits alone only in a queue, after a crash', () => {
    const owners = [queueOwner('t', 2, true), queueOwner('t', 2), executorOwner('alone', true), 'alone/x/alone'];
    expect(owners.map(waitsAlone)).toEqual([true, false, false, false]);
  });

  test('counts the resets of a dispatched row, and none of a running one', () => {
    const owners = [queueOwner('t', 12), queueOwner('t', 7, true), queueOwner('t'), executorOwner('5', false), 'run/5/x'];
    expect(owners.map(redispatchesOf)).toEqual([12, 7, 0, 0, 0]);
    expect(['queue/', 'queue/many/t', 'queue/1e3/t'].map(redispatchesOf)).toEqual([0, 0, 1]);
  });
});
