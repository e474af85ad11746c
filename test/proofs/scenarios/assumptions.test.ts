import { describe, expect, test } from 'vitest';
import type { Actor } from '../../../shared/job/transitions.ts';
import { flowNamed } from '../exhaustive/flows/flows.ts';
import { runFlow } from '../exhaustive/run-flow.ts';
import { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import { BROKEN_WITHOUT_KILL } from '../simulation/check/violations.ts';
import type { WorldOptions } from '../simulation/world/world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Jobs that run nearly as long as an invocation may, some of them in a group, and ticks all the while. */
async function longJobs(options: Pick<WorldOptions, 'skewOf' | 'forgiven'>): Promise<ScriptedWorld> {
  const stage = new ScriptedWorld({ settings: { executorTimeoutMs: 60_000 }, ...options });
  stage.tick(60 * MINUTE);
  for (let index = 0; index < 30; index++) {
    await stage.enqueue('usual', { workMs: 50 * SECOND, ...(index % 3 === 0 ? { group: 'g' } : {}) });
    await stage.pass(20 * SECOND);
  }
  await stage.pass(50 * MINUTE);
  await stage.close();
  return stage;
}

/** Clocks of one role are off by so much. */
const ahead = (role: Actor, ms: number): Pick<WorldOptions, 'skewOf' | 'forgiven'> => ({
  skewOf: (one) => (one === role ? ms : 0),
  forgiven: [...BROKEN_WITHOUT_KILL, 'counters-justified', 'never-early'],
});

describe('clocks that differ', () => {
  test('by as much as is assumed let no two runs overlap', async () => {
    let processes = 0;
    const stage = await longJobs({ skewOf: () => (processes++ % 2 === 0 ? SECOND : -SECOND) });
    expect([stage.violations, stage.world.checks.ledger.overlaps, stage.count('finished')]).toEqual([[], 0, 30]);
    expect(stage.told('reset')).toBe(0);
  });

  test.each([
    ['the sweeper', ahead('sweeper', 10 * MINUTE)],
    ['the executors', { ...ahead('executor', 0), skewOf: alternating(-5 * MINUTE) }],
  ] as const)('by minutes, of %s, make runs overlap, and still nothing completes twice', async (_, options) => {
    const stage = await longJobs(options);
    expect(stage.world.checks.ledger.overlaps).toBeGreaterThan(0);
    // A reset that comes minutes early is a crash as far as the sweeper can tell, so that a job may die of three.
    expect([stage.violations, stage.count('finished') + stage.count('dead')]).toEqual([[], 30]);
    expect(stage.count('finished')).toBeGreaterThanOrEqual(25);
  });
});

/** The clock of each second executor is off. */
function alternating(ms: number): NonNullable<WorldOptions['skewOf']> {
  let executors = 0;
  return (role) => (role === 'executor' && executors++ % 2 === 1 ? ms : 0);
}

describe('a sandbox that is not killed at its deadline', () => {
  test.each(['complete', 'complete-grouped', 'complete-with-key', 'complete-durable-history'])(
    'overlaps with the one that took over from it in %s, and still nothing completes twice',
    async (name) => {
      const flow = flowNamed(name);
      const { points } = await runFlow(flow, []);
      let overlaps = 0;
      for (const { number } of points) {
        const run = await runFlow(flow, [{ at: number, fault: 'overtaken' }]);
        expect(run.findings).toEqual([]);
        overlaps += run.overlaps;
      }
      expect(overlaps).toBeGreaterThan(0);
    },
  );
});
