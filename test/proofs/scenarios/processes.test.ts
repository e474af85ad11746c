import { describe, expect, test } from 'vitest';
import { flowNamed } from '../exhaustive/flows/flows.ts';
import { runFlow } from '../exhaustive/run-flow.ts';
import { ScriptedWorld } from '../exhaustive/scripted-world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a process', () => {
  test('ends itself when a handler outlives its attempt, so that the handler never goes on beside its retry (thawed-handler)', async () => {
    const stage = new ScriptedWorld();
    await stage.enqueue('hurried', { kind: 'stuck', delayMs: 10 * MINUTE, group: 'g' });
    await stage.pass(5 * SECOND);
    const [process] = stage.sandboxes.processes;
    await stage.pass(2 * SECOND);
    expect([process?.alive, stage.told('sandbox-ended')]).toEqual([false, 1]);
    for (let index = 0; index < 5; index++) await stage.enqueue('usual', { group: 'g' });
    await stage.close();
    expect([stage.violations, stage.world.checks.ledger.overlaps, stage.count('finished')]).toEqual([[], 0, 6]);
  });

  test('that is frozen between a lost reply and its next attempt puts no finished job back (frozen-producer)', async () => {
    const flow = flowNamed('enqueue');
    const lost = await runFlow(flow, [{ at: 1, fault: 'lost-reply' }]);
    expect(lost.points[1]?.what).toBe('wait');
    const run = await runFlow(flow, [
      { at: 1, fault: 'lost-reply' },
      { at: 2, fault: 'pause' },
    ]);
    expect([run.findings, run.starts]).toEqual([[], 1]);
  });

  test('that a job kills is dead for that job alone: after exactly so many crashes it is a dead letter, and nine neighbours finish (innocent-neighbours)', async () => {
    const stage = new ScriptedWorld({ settings: { executorTimeoutMs: 60_000 } });
    stage.source.on = false;
    for (let index = 0; index < 9; index++) await stage.enqueue('usual', { workMs: 5 * SECOND });
    const poison = await stage.enqueue('usual', { kind: 'poison', workMs: SECOND });
    stage.source.batch = () => 10;
    await stage.close();
    const entry = stage.world.checks.tracker.jobs.get(String(poison));
    expect(entry?.row).toMatchObject({ reason: 'crash-loop', crashes: 3, failures: 0 });
    // Once beside its neighbours, which does not count, and three times alone.
    expect([stage.world.checks.poisonDeaths, stage.count('dead'), stage.count('finished')]).toEqual([4, 1, 9]);
    const crashes = [...stage.world.checks.tracker.jobs.values()].filter(({ id }) => id !== poison).map(({ row }) => row['crashes']);
    expect(crashes).toEqual(Array.from({ length: 9 }, () => 0));
    expect(stage.violations).toEqual([]);
  });

  test('of an older version that suspends one more job after all others were resumed leaves no job behind (stale-cache-parks)', async () => {
    const stage = new ScriptedWorld();
    stage.deploy(1);
    await stage.enqueue('later', {});
    await stage.pass(SECOND);
    expect(stage.count('suspended')).toBe(1);
    stage.deploy(2);
    await stage.drain();
    expect(stage.count('finished')).toBe(1);
    stage.deploy(1);
    await stage.enqueue('later', {});
    await stage.pass(SECOND);
    stage.deploy(2);
    expect(stage.count('suspended')).toBe(1);
    await stage.close();
    expect([stage.violations, stage.count('finished')]).toEqual([[], 2]);
  });
});

describe('two versions', () => {
  test('that alternate every half minute finish every job, and a type that one of them does not know counts no failure', async () => {
    const stage = new ScriptedWorld();
    stage.tick(2 * HOUR);
    for (let at = 0; at < 2 * HOUR; at += 30 * SECOND) stage.world.time.after(at, () => stage.deploy((at / SECOND / 30) % 2 === 0 ? 1 : 2));
    for (let index = 0; index < 60; index++) {
      await stage.enqueue(index % 2 === 0 ? 'later' : 'usual', index % 5 === 0 ? { group: 'g' } : {});
      await stage.pass(40 * SECOND);
    }
    await stage.pass(2 * HOUR);
    stage.deploy(2);
    await stage.close();
    expect([stage.violations, stage.count('finished'), stage.count('dead')]).toEqual([[], 60, 0]);
    expect(stage.told('suspended')).toBeGreaterThan(5);
    expect(stage.told('failed')).toBe(0);
  });
});
