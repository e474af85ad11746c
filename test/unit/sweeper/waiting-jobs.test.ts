import { describe, expect, it } from 'vitest';
import { ageClass, type InQueue, newerThan, nothingSeen, WaitingCount, type WaitingJobs } from '../../../functions/sweeper/waiting-jobs.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 0, 1, 12);

const inQueue = (queue: string, ranOutAt: number): InQueue => ({ queue, type: 'x', ranOutAt });

describe('how long jobs wait in their queue', () => {
  it.each([
    [-1, 0],
    [0, 0],
    [HOUR, 0],
    [HOUR + 1, 1],
    [2 * HOUR - 1, 1],
    [2 * HOUR, 2],
    [4 * HOUR, 3],
    [24 * HOUR, 5],
    [1_000 * HOUR, 5],
  ])('is told in classes that double: %i ms is class %i', (age, expected) => {
    expect(ageClass(NOON - age, NOON, HOUR)).toBe(expected);
  });

  it('counts as newer what is in a lower class of the same queue, and what the scan left out, in every segment', () => {
    const passes: readonly WaitingJobs[] = [
      { from: NOON, unseen: 5, queues: new Map([['a', [10, 20, 40]]]) },
      { from: NOON - HOUR, unseen: 7, queues: new Map([['b', [1_000]]]) },
      { from: NOON - 2 * HOUR, unseen: 0, queues: new Map([['a', [100, 200]]]) },
    ];
    expect(newerThan(passes, 'a', NOON, HOUR)).toBe(12);
    expect(newerThan(passes, 'a', NOON - 2 * HOUR, HOUR)).toBe(12 + 30);
    expect(newerThan(passes, 'a', NOON - 4 * HOUR, HOUR)).toBe(12 + 70 + 300);
    expect(newerThan(passes, 'a', NOON - 3.5 * HOUR, HOUR)).toBe(12 + 30 + 100);
    expect(newerThan([], 'a', NOON - 4 * HOUR, HOUR)).toBe(0);
  });

  it('counts the ready jobs of the types that the pass counts, and of no other', () => {
    const count = new WaitingCount(nothingSeen(NOON, ['x', 'y']), HOUR);
    expect(count.types).toEqual(['x', 'y']);
    for (const type of ['x', 'z', 'x']) count.add({ queue: 'a', type, ranOutAt: NOON });
    const later = new WaitingCount(count.total, HOUR);
    later.add({ queue: 'b', type: 'x', ranOutAt: NOON });
    expect(later.total.types).toEqual(new Map(Object.entries({ x: 3, y: 0 })));
    expect(count.total.types).toEqual(new Map(Object.entries({ x: 2, y: 0 })));
    expect(new WaitingCount(nothingSeen(NOON), HOUR).types).toEqual([]);
  });

  it('adds up over the runs of a pass, and leaves the earlier total as it is', () => {
    const first = new WaitingCount(nothingSeen(NOON), HOUR);
    first.add(inQueue('a', NOON - 3 * HOUR));
    first.leaveOut(2);
    const { total } = first;
    const second = new WaitingCount(total, HOUR);
    second.add(inQueue('a', NOON + HOUR));
    second.add(inQueue('a', NOON - 3 * HOUR));
    second.add(inQueue('b', NOON));
    second.leaveOut(3);
    expect(second.total).toEqual({ from: NOON, unseen: 5, queues: new Map(Object.entries({ a: [1, 0, 2], b: [1] })) });
    expect(total).toEqual({ from: NOON, unseen: 2, queues: new Map([['a', [0, 0, 1]]]) });
  });
});
