import { describe, expect, test } from 'vitest';
import { MUTANTS } from './all-mutants.ts';
import { flowOf } from './flows.ts';
import { hunt } from './hunt.ts';
import { type Mutant, MutantDoesNotApplyError } from './mutant.ts';

const LIMITS = { from: 1, seeds: 20, catches: 1, sample: 1 };

const named = (name: string): Mutant => MUTANTS.find((mutant) => mutant.name === name) as Mutant;

describe('the mutants', () => {
  test('each have a name of their own and a way to be seen', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    for (const { rules, flow } of MUTANTS) {
      expect(rules.length).toBeGreaterThan(0);
      if (flow !== undefined) expect(() => flowOf(flow)).not.toThrow();
    }
  });

  test('are caught by the rule that they break', async () => {
    const { caught, rules } = await hunt(named('sendBeforeCommit'), LIMITS);
    expect(caught).toBe(true);
    expect(rules['sent-after-commit']).toBeGreaterThan(0);
  });

  test('do not count as caught by a rule that they are not about', async () => {
    const { caught } = await hunt({ ...named('busyQueueHidesLoss'), rules: ['never-early'] }, LIMITS);
    expect(caught).toBe(false);
  });

  test('that no longer apply are refused', async () => {
    const gone: Mutant = { ...named('noFence'), find: 'a text that is not there' };
    await expect(hunt(gone, LIMITS)).rejects.toThrow(MutantDoesNotApplyError);
    const twice: Mutant = { ...named('noFence'), find: 'tables' };
    await expect(hunt(twice, LIMITS)).rejects.toThrow(/exactly once/);
  });
});
