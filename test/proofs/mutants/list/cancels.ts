import type { Mutant } from '../mutant.ts';

/** Wrong answers of a cancel. */
export const CANCEL_MUTANTS: readonly Mutant[] = [
  {
    name: 'waitingSiblingStays',
    symbol: 'Cancellations',
    find: "if (found === undefined || found === 'unreadable')",
    replace: "if (found === undefined || found === 'unreadable' || found.state === 'waiting')",
    rules: ['siblings-cancelled'],
    why: 'A task that is done leaves its boundary timer, which fires all the same.',
    seed: 6001,
  },
  {
    name: 'runningSiblingNotAsked',
    symbol: 'Cancellations',
    find: 'asked ? [] : [cancelRequestOf(found.job, why)]',
    replace: '[]',
    rules: ['siblings-cancelled'],
    why: 'A task and its boundary timer that run at the same time both complete.',
    seed: 7004,
  },
  {
    name: 'cancelTellsTheWrongWinner',
    symbol: 'endOf',
    find: "if (asked && (outcome === 'finished' || outcome === 'not-found')) return 'cancelled';",
    replace: "if (asked && (outcome === 'finished' || outcome === 'not-found')) return 'completed';",
    rules: ['cancel-told'],
    seed: 446_615_691,
    why: 'Whoever waits for a cancel is told that the work was done, although its handler was stopped half-way.',
  },
];
