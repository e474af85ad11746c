import type { Mutant } from '../mutant.ts';

/** Bugs that only a wide world shows, each by a fault that no other world has: with that fault cut from it, the world of the seed is clean. */
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
  {
    name: 'oneShardStopsAll',
    symbol: 'acquireTimers',
    find: 'if (report.failed === shards.length)',
    replace: 'if (report.failed > 0)',
    rules: ['limit-released'],
    // Of all faults, only a hot partition stops one shard for long and leaves the rest of the store alone.
    why: 'While one shard of the timers is throttled, no parked job anywhere is given the room that it waits for.',
    seed: 7_000_360,
  },
  {
    name: 'graceIsNoTime',
    symbol: 'runHandler',
    find: "const outcome = wasCut && ended.outcome.kind === 'threw' ? cutShort : ended.outcome;",
    replace: 'const outcome = wasCut ? cutShort : ended.outcome;',
    rules: ['counters-justified'],
    // Only where timers come before replies does a run both reach its limit and end well.
    why: 'A handler whose last reply waits behind its time limit has done its work, and that counts as its failure.',
    seed: 7_000_163,
  },
  {
    name: 'setBackIgnored',
    symbol: 'isSetBack',
    find: 'return lastAt !== undefined && now < lastAt - MAX_CLOCK_SKEW_MS;',
    replace: 'return lastAt !== undefined && now < lastAt - 1e9 * MAX_CLOCK_SKEW_MS;',
    rules: ['no-resurrection', 'legal-transition', 'one-place'],
    // Skew and jumps stay within what the margin allows; only a wrong clock goes back by minutes.
    why: 'A clock that is set back between two attempts opens the window of a put again, and a job that had ended comes back.',
    seed: 852_961_696,
  },
  {
    name: 'bulkWrittenByLoser',
    symbol: 'saveBulk',
    find: "condition: unchanged('lockOwner', owner) };",
    replace: "condition: owner === '' ? unchanged('lockOwner', owner) : { test: 'present', attribute: 'pk' } };",
    rules: ['live-lease'],
    // Only rivals go on with a bulk action that another operator holds.
    why: 'An operator whose machine stood still writes over a bulk action that another one has taken over.',
    seed: 7_000_022,
  },
];
