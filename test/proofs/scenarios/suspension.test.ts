import { describe, expect, test } from 'vitest';
import { ScriptedWorld } from '../exhaustive/scripted-world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TYPE = { type: 'sim.usual' } as const;

describe('a suspension', () => {
  test('outlasts five deployments and starts nothing, then lets everything go at its rate, with every counter as it was', async () => {
    const stage = new ScriptedWorld();
    stage.tick(3 * HOUR);
    await stage.asOperator(async (admin) => admin.suspend(TYPE, { reason: 'scenario' }));
    await stage.pass(10 * SECOND);
    for (let index = 0; index < 60; index++) {
      await stage.enqueue('usual', index % 3 === 0 ? { group: 'g' } : {});
      await stage.enqueue('patient', {});
      if (index % 12 === 0) stage.deploy(2);
      await stage.pass(10 * SECOND);
    }
    expect([stage.violations, stage.count('suspended'), stage.count('finished'), stage.told('started')]).toEqual([[], 60, 60, 60]);
    await stage.asOperator(async (admin) => admin.resume(TYPE, { ratePerSecond: 0.2 }));
    const resumedAt = stage.now;
    await stage.until(() => stage.count('finished') === 120, HOUR);
    const minutes = (stage.now - resumedAt) / MINUTE;
    // Twelve a minute, from the first tick on.
    expect(minutes).toBeGreaterThan(4);
    expect(minutes).toBeLessThan(8);
    const attempts = [...stage.world.checks.tracker.jobs.values()].map(({ row }) => [row['starts'], row['failures'], row['crashes']]);
    expect(attempts).toEqual(Array.from({ length: 120 }, () => [1, 0, 0]));
    await stage.close();
    expect([stage.violations, stage.told('suspended'), stage.told('resumed')]).toEqual([[], 60, 60]);
  });

  test('that came and went while the sweeper was dead leaves no job behind', async () => {
    const stage = new ScriptedWorld();
    await stage.asOperator(async (admin) => admin.suspend('all', { reason: 'scenario', until: stage.now + 20 * MINUTE }));
    for (let index = 0; index < 10; index++) await stage.enqueue('usual', {});
    await stage.pass(HOUR);
    expect([stage.count('suspended'), stage.told('started')]).toEqual([10, 0]);
    await stage.close();
    expect([stage.violations, stage.count('finished')]).toEqual([[], 10]);
  });
});
