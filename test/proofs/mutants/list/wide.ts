import type { Mutant } from '../mutant.ts';

/** Bugs that only a wide world shows, each by a fault that no other world has. */
export const WIDE_MUTANTS: readonly Mutant[] = [
  {
    name: 'lockExpiresBeforeItsLease',
    symbol: 'lockRow',
    find: 'expiresAt: seconds(expiresAt + DAY_MS),',
    replace: 'expiresAt: seconds(now + 0 * expiresAt),',
    rules: ['group-exclusive', 'group-locked', 'live-lease'],
    why: 'The time to live of a lock ends before its lease: the store deletes it under whoever holds it, and two jobs of a group run at once.',
    seed: 7_000_013,
  },
  {
    name: 'silentQueueExplainsTheWait',
    symbol: 'backlogCheck',
    find: 'return visible !== undefined && visible >= rank;',
    replace: 'return visible === undefined || visible >= rank;',
    rules: ['rescued-in-time'],
    why: 'Where a queue does not say how many messages wait in it, a lost hint is sent again an hour late.',
    seed: 7_000_008,
  },
  {
    name: 'rowsLeftCountAsTaken',
    symbol: 'putRows',
    find: "return new Set(left.map((row) => row['id'] as string));",
    replace: "return new Set(left.slice(left.length).map((row) => row['id'] as string));",
    rules: ['nothing-lost', 'sent-after-commit'],
    why: 'The store left some rows of a batch undone, and their producer is told that the jobs were taken.',
    seed: 7_000_010,
  },
];
