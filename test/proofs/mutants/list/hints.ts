import type { Mutant } from '../mutant.ts';

/** Hints that are sent too early, too often or not at all, and messages that are judged wrongly. */
export const HINT_MUTANTS: readonly Mutant[] = [
  {
    name: 'noOrphanScan',
    symbol: 'judge',
    find: "if (isQueueOwner(job.lockOwner)) return { verb: 'redispatch' };",
    replace: "if (isQueueOwner(job.lockOwner)) return { verb: 'leave' };",
    rules: ['nothing-lost', 'nothing-left'],
    why: 'The sweeper looks after dead executors only: a job whose hint was lost waits for ever.',
  },
  {
    name: 'resendOnContention',
    symbol: 'afterClaim',
    find: 'return { disposition: await requeue(batch, delivery, Math.max(1_000, claimed.until - deps.clock.now())) };',
    replace: `await deps.hints.send([{ ...delivery.hint, worker, lane: delivery.message.queue.lane || 'default', delayMs: 1_000, alone: false }]);
      return { disposition: 'acknowledge' };`,
    rules: ['sends-explained'],
    why: 'The loser of a race sends again, as Flowable did: hundreds of times a second while the winner runs.',
  },
  {
    name: 'sendBeforeCommit',
    symbol: 'goBack',
    find: 'const returned = await returnToQueue(',
    replace: `if (!visible) await sendHints(deps, [{ ...job, dueAt: change.dueAt, dispatches: job.dispatches + 1 }], now);
  const returned = await returnToQueue(`,
    rules: ['sent-after-commit'],
    why: 'The hint of a retry is sent before the retry is written: it may arrive before it, or name one that never is.',
  },
  {
    name: 'sendBeforePut',
    symbol: 'createClient',
    find: 'enqueue: async (type, payload, options = {}) => enqueue(deps, type, payload, options)',
    replace: `enqueue: async (type, payload, options = {}) => enqueue({ ...deps, tables: { ...deps.tables, write: async (write, window) => {
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
    rules: ['hint-kept'],
    why: 'A hint that could not be forwarded to its FIFO queue is acknowledged all the same.',
  },
  {
    name: 'loserAcknowledges',
    symbol: 'allComeBack',
    find: 'return Promise.all(deliveries.map((delivery) => requeue(batch, delivery, ms)));',
    replace:
      "await Promise.all(deliveries.map((delivery) => requeue(batch, delivery, ms)));\n  return deliveries.map(() => 'acknowledge');",
    rules: ['hint-kept'],
    why: 'Who finds the lock of a group taken acknowledges its message: only the sweeper remembers that job.',
  },
  {
    name: 'dispatchesReset',
    symbol: 'freshJob',
    find: '...FRESH_COUNTERS, dueAt',
    replace: '...FRESH_COUNTERS, dispatches: 0, dueAt',
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
    find: 'if (now - job.lockExpiresAt > deps.deployment.settings.backlogPatienceMs) return false;',
    replace: '',
    rules: ['rescued-in-time'],
    flow: 'busyQueue',
    why: 'busy-queue-hides-loss: a backlog explains every wait for ever, so a lost send is never repeated.',
  },
  {
    name: 'backlogIgnored',
    symbol: 'backlogCheck',
    find: 'return visible !== undefined && visible >= rank;',
    replace: 'return false;',
    rules: ['rescued-in-time'],
    flow: 'busyQueue',
    why: 'Every job behind a long queue is sent again and again, and makes the queue longer.',
  },
];
