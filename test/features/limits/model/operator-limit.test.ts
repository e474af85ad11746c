import { describe, expect, it } from 'vitest';
import { inForce, isSlotCount, limitName, limitSort } from '../../../../shared/features/limits/model/operator-limit.ts';
import { nextStart, startSlots } from '../../../../shared/features/limits/model/slots.ts';

const set = (n: unknown) => new Map([['limit#some', { n: n as number }]]);

describe('the number of a limit that is in force', () => {
  const limit = { hash: 'h', name: 'some', n: 5 };

  it("is an operator's, and the code's is kept beside it", () => {
    expect(inForce(limit, set(0))).toEqual({ ...limit, n: 0, coded: 5 });
    expect(inForce(limit, set(100))).toEqual({ ...limit, n: 100, coded: 5 });
  });

  it("is the code's without an operator's, or with one of another limit", () => {
    expect(inForce(limit, new Map())).toEqual({ ...limit, coded: 5 });
    expect(inForce({ ...limit, name: 'som' }, set(0)).n).toBe(5);
  });

  it.each([-1, 101, 1.5, Number.NaN, '3', null, undefined, true])("is the code's if an operator's is %j", (n) => {
    expect(isSlotCount(n)).toBe(false);
    expect(inForce(limit, set(n)).n).toBe(5);
  });

  it("is the code's again once an operator's is gone, also for a job that started under that", () => {
    expect(inForce(inForce(limit, set(0)), new Map())).toEqual({ ...limit, coded: 5 });
    expect(inForce(inForce(limit, set(0)), set(7))).toEqual({ ...limit, n: 7, coded: 5 });
  });
});

it('the row of a limit is found by its name, and no other row is one', () => {
  expect(limitName(limitSort('tenant/default'))).toBe('tenant/default');
  expect([limitName('suspension#all'), limitName('switched-off'), limitName('limits')]).toEqual([undefined, undefined, undefined]);
});

describe('a rate of 0', () => {
  const rate = (perMs: number) => ({ hash: 'h', name: 'some', n: 0, perMs });

  it('gives no start, and lets a job ask again after its period, or a minute if that is shorter', () => {
    expect(startSlots([], rate(1_000), 7, true)).toEqual([]);
    for (const booked of [true, false]) {
      expect(nextStart([], rate(1_000), 7, booked)).toEqual({ at: 60_007 });
      expect(nextStart([], rate(3_600_000), 7, booked)).toEqual({ at: 3_600_007 });
    }
  });
});
