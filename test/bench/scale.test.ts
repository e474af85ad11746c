import { describe, expect, test } from 'vitest';
import type { RunFigures } from '../../bench/scale/figures.ts';
import { compared } from '../../bench/scale/measure-scale.ts';
import { scaleTable } from '../../bench/scale/scale-table.ts';
import { runBacklog } from '../../bench/scale/scenarios/backlog.ts';
import { runArrival } from '../../bench/scale/scenarios/burst.ts';
import { runSchedules } from '../../bench/scale/scenarios/schedules.ts';
import { runTenants } from '../../bench/scale/scenarios/tenants.ts';
import { runTimers } from '../../bench/scale/scenarios/timers.ts';
import { RUN } from './scale-run.ts';

const SCENARIO = { name: 'steady', what: 'a steady rate', unit: 'jobs', full: 10_000 };
const TENFOLD = { writeUnits: 4_000, readUnits: 100, dollars: 0.002_6 };
const tenfold = (change: Partial<RunFigures>): RunFigures => ({
  ...RUN,
  size: 1_000,
  jobs: 1_000,
  drainSeconds: 100,
  totals: TENFOLD,
  ...change,
});

describe('the growth of a scenario', () => {
  test('is linear when everything grew as the work did', () => {
    const { growth, linearOrBetter } = compared(SCENARIO, 'tenth', RUN, tenfold({}));
    expect(growth).toEqual({ work: 10, drain: 10, writeUnits: 10, dollars: 10 });
    expect(linearOrBetter).toBe(true);
  });

  test.each([
    ['the time to drain', { drainSeconds: 120 }],
    ['the write units', { totals: { ...TENFOLD, writeUnits: 5_000 } }],
    ['the dollars', { totals: { ...TENFOLD, dollars: 0.003 } }],
  ])('is worse than linear when %s grew faster than the work', (_, change) => {
    expect(compared(SCENARIO, 'tenth', RUN, tenfold(change)).linearOrBetter).toBe(false);
  });

  test('says so when a key was throttled, whatever it consumed', () => {
    const large = tenfold({ throttles: { key: 1, table: 0, givenUp: 0 } });
    expect(compared(SCENARIO, 'tenth', RUN, large).keysBelowLimit).toBe(false);
    expect(compared(SCENARIO, 'tenth', RUN, tenfold({})).keysBelowLimit).toBe(true);
  });

  test('is shown with the sizes that ran and the size that was asked for', () => {
    const table = scaleTable({ scenarios: [compared(SCENARIO, 'tenth', RUN, tenfold({}))] });
    expect(table).toContain('ran at 100 and 1,000 jobs: the larger is a tenth of the 10,000 that are asked for');
  });
});

describe('the production code over the models', () => {
  test('runs each job of a burst once, for three writes and its history', async () => {
    const { drainSeconds, writeUnitsPerJob, own } = await runArrival({
      jobs: 500,
      overMs: 1_000,
      warmTables: false,
      warmSources: false,
      maxConcurrency: 50,
    });
    expect(drainSeconds).toBeLessThan(10);
    expect(Math.floor(writeUnitsPerJob)).toBe(4);
    expect(own).toMatchObject({ refusedAtFirst: 0, historyLost: 0 });
  });

  test('runs jobs of exclusive groups once each, for the two writes of their locks', async () => {
    const { writeUnitsPerJob } = await runArrival({
      jobs: 500,
      overMs: 1_000,
      warmTables: false,
      warmSources: false,
      maxConcurrency: 50,
      inGroups: true,
    });
    expect(Math.floor(writeUnitsPerJob)).toBe(6);
  });

  test('fires timers of one second ahead of it and starts none of them early', async () => {
    const { drainSeconds, own } = await runTimers(500, true);
    expect(own).toMatchObject({ early: 0 });
    expect(drainSeconds).toBeGreaterThan(0);
    expect(drainSeconds).toBeLessThan(5);
  });

  test('lets small tenants pass a large one', async () => {
    const { own } = await runTenants(2_500);
    expect(own['smallP99Ms']).toBeLessThan(Number(own['largeP99Ms']) / 2);
  });

  test('sweeps a backlog that messages explain without sending anything again but what was lost', async () => {
    const { own } = await runBacklog(2_000, 2_500);
    expect(own).toMatchObject({ runs: 1, explained: 1_980, resetsWithoutNeed: 0, writeUnits: 20 });
  });

  test('runs every occurrence of a year of schedules once', async () => {
    const { own } = await runSchedules(20);
    expect(own).toMatchObject({ expected: 12 * 12 + 7 * 52 + 365, missed: 0, startedTwice: 0, early: 0 });
  });

  test('runs every occurrence of a month once: one first, and as many Mondays and days as it has', async () => {
    const { own } = await runSchedules(20, 31);
    expect(own).toMatchObject({ expected: 12 + 7 * 4 + 31, missed: 0, startedTwice: 0, early: 0 });
  });
});
