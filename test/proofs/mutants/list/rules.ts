import type { Mutant } from '../mutant.ts';

/** What operators lay down at run time. */
export const RULE_MUTANTS: readonly Mutant[] = [
  {
    name: 'suspensionIgnored',
    symbol: 'rulesGate',
    find: 'return suspension === undefined ?',
    replace: 'return suspension !== null ?',
    rules: ['suspended-not-started'],
    why: 'Jobs of a suspended type go on starting.',
    seed: 4,
  },
  {
    name: 'suspensionCountsAsStart',
    symbol: 'suspend',
    find: 'starts: current.starts - 1,',
    replace: 'starts: current.starts,',
    rules: ['counters-untouched'],
    why: 'A job that was suspended shows an attempt that never was.',
    seed: 4,
  },
  {
    name: 'activatedJobsStay',
    symbol: 'withoutSuspended',
    find: 'return suspension === undefined || !isInForce(suspension, now);',
    replace: 'return suspension !== undefined && !isInForce(suspension, now);',
    rules: ['released-after-activation', 'nothing-left', 'nothing-lost'],
    why: 'A suspension that an operator ended holds its jobs for ever.',
    seed: 2,
  },
  {
    name: 'reroutingCountsAsStart',
    symbol: 'toItsLane',
    find: '{ sameAttempt: true, set }',
    replace: '{ set }',
    rules: ['counters-untouched'],
    why: 'A job that goes to another lane shows an attempt that never was.',
    seed: 13,
  },
];
