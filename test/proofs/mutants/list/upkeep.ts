import type { Mutant } from '../mutant.ts';

/** Bugs in the handling of unreadable rows and other obstacles. */
export const UPKEEP_MUTANTS: readonly Mutant[] = [
  {
    name: 'suspendWithoutCauseRow',
    symbol: 'listCause',
    find: 'await tables.write({',
    replace: 'void ({',
    rules: ['nothing-left', 'nothing-lost'],
    why: 'A job waits for a handler, and nobody knows that anything waits.',
    seed: 8,
  },
  {
    name: 'burialBeforeGroup',
    symbol: 'inItsErrorGroup',
    find: 'await patiently(deps, death, sums.enter(death, attempt, deps.clock.now(), write));',
    replace: 'void sums.enter(death, attempt, deps.clock.now(), write);',
    rules: ['group-before-burial'],
    why: 'A job is dead before its error group is told: if the process dies then, no group leads to it.',
  },
  {
    name: 'cursorNotReset',
    symbol: 'scanSegment',
    find: "const moved = after?.['id'] !== start?.['id'];",
    replace: "const moved = after !== undefined && after['id'] !== start?.['id'];",
    rules: ['nothing-left', 'nothing-lost'],
    why: 'The sweeper never comes back to the rows before the place at which it once stopped.',
    seed: 14,
  },
  {
    name: 'badRowStopsShard',
    symbol: 'quarantineTimer',
    find: "await quarantineInGroup(deps, { table: 'timers', row, error })",
    replace: 'await Promise.reject(error)',
    rules: ['nothing-left', 'nothing-lost'],
    why: 'A timer that cannot be read is left where it is, forever.',
  },
  {
    name: 'badRowKept',
    symbol: 'sweepRow',
    find: "return { swept: (await quarantineInGroup(deps, { table: 'jobs', row, error })) ? 'quarantined' : 'lost', waitingMs: 0 };",
    replace: "return { swept: 'lost', waitingMs: 0 };",
    rules: ['nothing-left', 'nothing-lost'],
    why: 'A job that cannot be read and whose message is gone stays in Jobs forever.',
    seed: 413001032,
  },
];
