import { describe, expect, test } from 'vitest';
import { errorsBySlice, planTimers } from '../../bench/timers/timer-plan.ts';

const TIMES = { fromMs: 17_000, spanMs: 55_000, delayHorizonMs: 15_000, count: 1_000 } as const;

describe('the plan of the timers', () => {
  const plan = planTimers(TIMES);

  test('has half of them as rows that are put at once and due beyond the delay horizon', () => {
    const rows = plan.filter(({ row }) => row);
    expect(rows).toHaveLength(500);
    expect(rows.every(({ putAtMs, dueAtMs }) => putAtMs === 0 && dueAtMs > TIMES.delayHorizonMs)).toBe(true);
  });

  test('has the others put within the delay horizon of their due time, in the order of their puts', () => {
    const soon = plan.filter(({ row }) => !row);
    expect(soon.every(({ putAtMs, dueAtMs }) => dueAtMs > putAtMs && dueAtMs - putAtMs < TIMES.delayHorizonMs)).toBe(true);
    expect(plan.map(({ putAtMs }) => putAtMs)).toEqual(plan.map(({ putAtMs }) => putAtMs).toSorted((a, b) => a - b));
  });

  test.each([true, false])('spreads due times over the whole span and over all fractions of a second (rows: %s)', (row) => {
    const due = plan.filter((one) => one.row === row).map(({ dueAtMs }) => dueAtMs);
    const perSecond = Map.groupBy(due, (at) => Math.floor((at - TIMES.fromMs) / 5_000));
    expect([...perSecond.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 11 }, (_, five) => five));
    expect(Math.min(...[...perSecond.values()].map((those) => those.length))).toBeGreaterThan(30);
    const tenths = Map.groupBy(due, (at) => Math.floor((at % 1_000) / 100));
    expect(tenths.size).toBe(10);
    expect(Math.min(...[...tenths.values()].map((those) => those.length))).toBeGreaterThan(30);
  });
});

describe('the errors of timers', () => {
  const at = (dueAt: number, late: number) => ({ dueAt, startedAt: dueAt + late, row: true });

  test('are start minus due, below zero for one that was early, in slices by due time', () => {
    expect(errorsBySlice([at(1_000, 5), at(1_999, -1), at(2_000, 700)], { from: 1_000, spanMs: 2_000 }, 2)).toEqual([[5, -1], [700]]);
  });

  test('of a slice without timers are an error, not nothing late', () => {
    expect(() => errorsBySlice([at(1_000, 5)], { from: 1_000, spanMs: 2_000 }, 2)).toThrow('slice 2 of 2');
  });
});
