import { describe, expect, test } from 'vitest';
import { MUTANTS } from './all-mutants.ts';
import { hunt } from './hunt.ts';
import type { Mutant } from './mutant.ts';

const LIMITS = { from: 1, seeds: 20, catches: 1, sample: 1 };

const named = (name: string): Mutant => MUTANTS.find((mutant) => mutant.name === name) as Mutant;

describe('the mutants', () => {
  test('are caught by the rule that they break', async () => {
    const { caught, rules } = await hunt(named('sendBeforeCommit'), LIMITS);
    expect(caught).toBe(true);
    expect(rules['sent-after-commit']).toBeGreaterThan(0);
  });

  test('do not count as caught by a rule that they are not about', async () => {
    const { caught, problem } = await hunt({ ...named('busyQueueHidesLoss'), rules: ['never-early'] }, LIMITS);
    expect({ caught, problem }).toEqual({ caught: false, problem: undefined });
  });
});
