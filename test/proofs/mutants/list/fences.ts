import type { Mutant } from '../mutant.ts';

/** Missing fences: a write that does not check who holds the row, or whether it is unchanged. */
export const FENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'noFence',
    symbol: 'complete',
    find: 'const uncancelled = all(heldBy(job.lockOwner), notCancelled);',
    replace: 'const uncancelled = notCancelled;',
    rules: ['live-lease', 'legal-transition', 'completes-what-ran'],
    flow: 'exhaustive/complete',
    why: 'A completion that arrives late deletes the row of whoever runs the job by then.',
  },
  {
    name: 'noFenceOnReturn',
    symbol: 'runAgain',
    find: 'condition: all(heldBy(job.lockOwner), notCancelled),',
    replace: 'condition: notCancelled,',
    rules: ['live-lease', 'no-resurrection'],
    flow: 'exhaustive/retry-soon',
    why: 'A retry that arrives late takes the row from whoever runs the job by then, or makes a finished one anew.',
  },
  {
    name: 'noFenceOnBury',
    symbol: 'bury',
    find: ', condition: all(fence, revIs(current.rev)) },',
    replace: ' },',
    rules: ['live-lease', 'no-resurrection', 'one-place', 'legal-transition', 'rev-grows'],
    flow: 'exhaustive/bury-refused',
    why: 'A zombie buries a job that runs elsewhere, or that was finished long ago.',
  },
  {
    name: 'noFenceOnMove',
    symbol: 'runAgainLater',
    find: ', condition: all(heldBy(job.lockOwner), revIs(current.rev)) },',
    replace: ' },',
    rules: ['live-lease', 'no-resurrection', 'one-place', 'legal-transition'],
    flow: 'exhaustive/snooze-later',
    why: 'A zombie makes a timer of a job that runs elsewhere, or that was finished long ago.',
  },
  {
    name: 'revNotChecked',
    symbol: 'runAgainLater',
    find: 'condition: all(heldBy(job.lockOwner), revIs(current.rev))',
    replace: 'condition: heldBy(job.lockOwner)',
    rules: ['cancel-wins', 'rev-grows'],
    why: 'edit-under-move: the copy that is moved overwrites a cancel request that was made while the job ran.',
    flow: 'cancelUnderMove',
  },
  {
    name: 'blindReset',
    symbol: 'reset',
    find: 'condition: all(leaseIs(seen.lockOwner, seen.lockExpiresAt), notCancelled),',
    replace: 'condition: notCancelled,',
    seed: 896069194,
    rules: ['live-lease', 'no-resurrection', 'one-place'],
    why: 'The sweeper resets whatever lease is there by now, as Flowable does, and frees live ones.',
  },
  {
    name: 'blindTakeOver',
    symbol: 'takeOver',
    find: 'condition: all(leaseIs(seen.lockOwner, seen.lockExpiresAt), notCancelled),',
    replace: 'condition: notCancelled,',
    rules: ['live-lease', 'runs-once-at-a-time', 'no-resurrection'],
    flow: 'exhaustive/sweep-a-crash-in-a-group',
    why: 'Two that see the same dead lease both take it over.',
  },
  {
    name: 'unlockAny',
    symbol: 'releaseLock',
    find: 'key, condition: heldBy(owner) });',
    replace: 'key });',
    rules: ['live-lease', 'group-locked', 'group-exclusive'],
    why: 'A late unlock frees the group lock of the next holder.',
    seed: 446_615_691,
  },
  {
    name: 'noGroupLock',
    symbol: 'executeTrack',
    find: 'groupHash === undefined ?',
    replace: 'groupHash === undefined || deliveries.length > 0 ?',
    seed: 896069190,
    rules: ['group-locked', 'group-exclusive'],
    why: 'group-message-gone: the order of the FIFO queue alone keeps a group apart, until its messages are lost or belong to two workers.',
  },
  {
    name: 'unlockBeforeRecord',
    symbol: 'executeTrack',
    find: 'dispositions.push(await executeJob(invocation,',
    replace: `const { tables } = invocation.deps;
  const early = { ...tables, write: async (write, window) => {
    if (write.table === 'jobs' && (write.op === 'delete' || write.set?.lockOwner?.startsWith('queue/'))) await lock?.release();
    return tables.write(write, window);
  } };
  const deps = { ...invocation.deps, tables: early };
  dispositions.push(await executeJob(new Proxy(invocation, { get: (of, name) => (name === 'deps' ? deps : of[name]) }),`,
    seed: 896069190,
    rules: ['group-locked', 'group-exclusive'],
    why: 'The lock of a group is given back before the outcome of its job is recorded.',
  },
  {
    name: 'unlockAfterEndedHandler',
    symbol: 'GroupLock',
    find: 'if (!this.#mayBeOurs || keptLocks.has(this.#groupHash)) return;',
    replace: 'if (!this.#mayBeOurs) return;',
    rules: ['group-locked', 'group-exclusive'],
    why: 'The lock of a handler that outlived its attempt is given back while the handler still runs.',
    seed: 854270611,
  },
  {
    name: 'fireUnchecked',
    symbol: 'fire',
    find: "{ op: 'delete', table: 'timers', key, condition: revIs(timer.rev) }",
    replace: "{ op: 'delete', table: 'timers', key }",
    rules: ['no-resurrection', 'one-place', 'rev-grows', 'legal-transition'],
    why: 'Two ticks that overlap fire one timer twice; a timer that was moved fires at its old time.',
    flow: 'exhaustive/acquirer-and-cancel+0',
  },
];
