import { describe, expect, test } from 'vitest';
import { benchScale } from '../../bench/scale/bench-scale.ts';
import type { RunFigures } from '../../bench/scale/figures.ts';
import { compared } from '../../bench/scale/measure-scale.ts';
import { scaleMeasurements } from '../../bench/scale/scale-measurements.ts';
import type { Share } from '../../bench/scale/share.ts';
import { RUN } from './scale-run.ts';

function figure(id: string, change: Partial<RunFigures>, share: Share = 'full', name = 'timers-warm') {
  const scenario = { name, what: 'what', unit: 'timers', full: 1_000 };
  const large = { ...RUN, size: 1_000, jobs: 1_000, ...change };
  const lines = scaleMeasurements({ scenarios: [compared(scenario, share, RUN, large)] });
  return lines.find((line) => line.id === `scale.${name}.${id}`);
}

describe('the figures of a scenario', () => {
  test('miss their target when a key reaches its thousand write units a second', () => {
    expect(figure('hottestWrite', { hottestWrite: { key: 'x', unitsPerSecond: 999 } })?.met).toBe(true);
    expect(figure('hottestWrite', { hottestWrite: { key: 'x', unitsPerSecond: 1_000 } })?.met).toBe(false);
  });

  test('hold a drain against its aim at full size only', () => {
    expect(figure('drainSeconds', { drainSeconds: 131 })).toMatchObject({ target: { at: 'most', value: 130 }, met: false });
    expect(figure('drainSeconds', { drainSeconds: 130 })?.met).toBe(true);
    expect(figure('drainSeconds', { drainSeconds: 131 }, 'tenth')).not.toHaveProperty('met');
    expect(figure('drainSeconds', { drainSeconds: 131 }, 'full', 'timers-fresh')).not.toHaveProperty('met');
  });

  test('state the physical bound beside a drain', () => {
    expect(figure('drainOverBound', { drainSeconds: 60, own: { boundSeconds: 50 } })).toMatchObject({
      baseline: { median: 50 },
      ratio: { median: 1.2 },
    });
  });

  test('allow ten times as much for ten times the work, and a tenth of tolerance', () => {
    expect(figure('growth.drain', { drainSeconds: 109 })?.met).toBe(true);
    expect(figure('growth.drain', { drainSeconds: 120 })?.met).toBe(false);
    expect(figure('growth.dollars', { totals: { ...RUN.totals, dollars: 0.003 } })?.met).toBe(false);
    expect(figure('growth.writeUnits', { totals: { ...RUN.totals, writeUnits: 4_500 } })?.met).toBe(false);
  });

  test('compare the small tenants with a system of their own', () => {
    expect(figure('smallP99Ms', { own: { smallP99Ms: 150, smallP99AloneMs: 100 } })?.ratio?.median).toBe(1.5);
  });

  test('allow no timer to be early', () => {
    expect(figure('early', { own: { early: 0 } })?.met).toBe(true);
    expect(figure('early', { own: { early: 1 } })?.met).toBe(false);
  });
});

test('the short form gives each figure of a scenario from a thread of its own', async () => {
  const plan = { rounds: 1, short: true, scenarios: ['timers-warm'], progress: () => {} };
  const { measurements } = await benchScale.run(plan);
  expect(measurements.map(({ id }) => id)).toEqual(
    [
      'size',
      'hottestWrite',
      'hottestRead',
      'drainSeconds',
      'drainOverBound',
      'throttles.key',
      'throttles.table',
      'throttles.givenUp',
      'conflicts',
      'writeUnitsPerJob',
      'dollarsPerMillion',
      'growth.drain',
      'growth.writeUnits',
      'growth.dollars',
      'boundSeconds',
      'early',
      'lateP50Ms',
      'lateP95Ms',
      'lateMostMs',
    ].map((figureName) => `scale.timers-warm.${figureName}`),
  );
  expect(measurements.find(({ id }) => id === 'scale.timers-warm.size')?.ours.median).toBe(1_000);
});
