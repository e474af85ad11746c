import type { Mutant } from '../mutant.ts';

/** What a cancel tells whoever asked for it. */
export const CANCEL_MUTANTS: readonly Mutant[] = [
  {
    name: 'cancelTellsTheWrongWinner',
    symbol: 'endOf',
    find: "if (asked && (outcome === 'finished' || outcome === 'not-found')) return 'cancelled';",
    replace: "if (asked && (outcome === 'finished' || outcome === 'not-found')) return 'completed';",
    rules: ['cancel-told'],
    seed: 8,
    why: 'Whoever waits for a cancel is told that the work was done, although its handler was stopped half-way.',
  },
];
