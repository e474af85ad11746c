import type { Mutant } from '../mutant.ts';

/** Hints that are sent too early, too often or not at all, and messages that are judged wrongly. */
export const HINT_MUTANTS: readonly Mutant[] = [
  {
    name: 'noOrphanScan',
    symbol: 'judge',
    find: "if (isQueueOwner(job.lockOwner)) return { verb: 'redispatch' };",
    replace: "if (isQueueOwner(job.lockOwner)) return { verb: 'leave' };",
    seed: 446_615_683,
    rules: ['nothing-lost', 'nothing-left'],
    why: 'The sweeper looks after dead executors only: a job whose hint was lost waits forever.',
  },
  {
    name: 'resendOnContention',
    symbol: 'afterClaim',
    find: 'return { disposition: await requeue(invocation, delivery, Math.max(1_000, claimed.until - deps.clock.now())) };',
    replace: `await deps.hints.send([{ ...delivery.hint, worker, lane: delivery.message.queue.lane || 'default', delayMs: 1_000, alone: false }]);
      return { disposition: 'acknowledge' };`,
    seed: 896069193,
    rules: ['sends-explained'],
    why: 'The loser of a race sends again, as Flowable did: hundreds of times a second while the winner runs.',
  },
  {
    name: 'sendBeforeCommit',
    symbol: 'runAgainAt',
    find: 'const returned = await runAgain(',
    replace: `if (!visible) await sendHints(deps, [{ ...job, dueAt: change.dueAt, dispatches: job.dispatches + 1 }], now);
  const returned = await runAgain(`,
    seed: 896069190,
    rules: ['sent-after-commit'],
    why: 'The hint of a retry is sent before the retry is written: it may arrive before it, or name one that never is.',
  },
  {
    name: 'sendBeforePut',
    symbol: 'clientOf',
    find: 'async () => enqueue(deps, type, payload, options)',
    replace: `async () => enqueue({ ...deps, tables: { ...deps.tables, write: async (write, window) => {
      if (write.table === 'jobs') await dispatch(deps, [{ job: { ...write.row, dueAt: Date.parse(write.row.dueAt) }, ready: true }]);
      return deps.tables.write(write, window);
    } } }, type, payload, options)`,
    rules: ['sent-after-commit'],
    why: 'A producer sends first and writes then.',
  },
  {
    name: 'ignoreSendFailed',
    symbol: 'readOne',
    find: "return left.length === 0 ? 'acknowledged' : 'failed';",
    replace: "return left.length >= 0 ? 'acknowledged' : 'failed';",
    seed: 854270615,
    rules: ['hint-kept'],
    why: 'A hint that could not be forwarded to its FIFO queue is acknowledged all the same.',
  },
  {
    name: 'loserAcknowledges',
    symbol: 'requeueAll',
    find: 'return Promise.all(deliveries.map((delivery) => requeue(invocation, delivery, ms)));',
    replace:
      "await Promise.all(deliveries.map((delivery) => requeue(invocation, delivery, ms)));\n  return deliveries.map(() => 'acknowledge');",
    seed: 854270615,
    rules: ['hint-kept'],
    why: 'Who finds the lock of a group taken acknowledges its message: only the sweeper remembers that job.',
  },
  {
    name: 'dispatchesReset',
    symbol: 'freshJob',
    find: '...FRESH_COUNTERS, dueAt',
    replace: '...FRESH_COUNTERS, dispatches: 0, dueAt',
    seed: 854270611,
    rules: ['rev-grows'],
    why: 'dedup-swallow: a redriven job sends the hint that its first life sent, and the FIFO queue drops it.',
  },
  {
    name: 'staleHintKept',
    symbol: 'classify',
    find: "if (n < job.dispatches) return { result: 'stale' };",
    replace: '',
    rules: ['stale-dropped'],
    why: 'duplicate-of-a-snoozer: an old hint comes back again and again for as long as its job lives.',
  },
  {
    name: 'busyQueueHidesLoss',
    symbol: 'backlogCheck',
    find: 'if (waited > EXPLAINED_PATIENCES * backlogPatienceMs) return false;',
    replace: '',
    rules: ['rescued-in-time'],
    flow: 'busyQueue',
    why: 'busy-queue-hides-loss: a backlog explains every wait forever, so a lost send is never repeated.',
  },
  {
    name: 'newMessagesExplainOldWaits',
    symbol: 'backlogCheck',
    find: 'newerThan(passes, name, job.lockExpiresAt, backlogPatienceMs)',
    replace: '0',
    rules: ['rescued-in-time'],
    flow: 'movingQueue',
    why: 'A queue that is never empty hides a lost hint for a day, although every message in it belongs to a newer job.',
  },
  {
    name: 'backlogIgnored',
    symbol: 'backlogCheck',
    find: 'return visible !== undefined && visible >= newer + rank;',
    replace: 'return false;',
    rules: ['rescued-in-time'],
    flow: 'busyQueue',
    why: 'Every job behind a long queue is sent again and again, and makes the queue longer.',
  },
];
