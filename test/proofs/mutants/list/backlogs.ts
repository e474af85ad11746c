import type { Mutant } from '../mutant.ts';

/** Bugs in the measurement of backlogs. Only worlds with a type that has a bound show them. */
export const BACKLOG_MUTANTS: readonly Mutant[] = [
  {
    name: 'backlogPassForgotten',
    symbol: 'WaitingCount',
    find: 'this.#types = types === undefined ? undefined : new Map(types);',
    replace: 'this.#types = types === undefined ? undefined : new Map([...types.keys()].map((type) => [type, 0]));',
    rules: ['backlog-true'],
    why: 'A pass that takes several runs gives what its last run counted, and a full backlog looks empty.',
    seed: 7_300_115,
  },
  {
    name: 'backlogCountedTwice',
    symbol: 'WaitingCount',
    find: 'this.#types?.set(type, ofType + 1);',
    replace: 'this.#types?.set(type, ofType + 2);',
    rules: ['backlog-true'],
    why: 'Producers are refused while half of the backlog is free.',
    seed: 7_200_016,
  },
];
