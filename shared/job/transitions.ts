import type { JobState } from './job.ts';

/** The actor that performs a verb. */
export type Actor = 'client' | 'admin' | 'executor' | 'acquirer' | 'sweeper';

/** One row of the transition table: the only legal ways from one state to another. */
export interface Transition {
  readonly verb: string;
  readonly by: readonly Actor[];
  /** `none`: the job does not exist before. */
  readonly from: readonly (JobState | 'none')[];
  readonly to: readonly JobState[];
  /** What is written, and on which condition. */
  readonly write: string;
  /** What happens after the commit. */
  readonly afterwards?: string;
  /** The row changes in place: from each state to the same one. */
  readonly inPlace?: true;
}

/** What each state means: the table of the row and its holder. */
export const STATES: Readonly<Record<JobState, { readonly table: string; readonly owner: string }>> = {
  waiting: { table: 'Timers, by shard', owner: 'none' },
  parked: { table: 'Timers, by limit or by group', owner: 'none' },
  ready: {
    table: 'Jobs',
    owner:
      '`queue/...`; expires at max(now, dueAt) + redispatchAfter (an enqueued one: firstRedispatchAfter; doubled by each resend in a row, up to an hour)',
  },
  running: {
    table: 'Jobs',
    owner:
      "executor token; expires at the invocation's hard deadline + margin (outside Lambda: workerLease or the time of its lock, renewed)",
  },
  suspended: { table: 'Suspended', owner: 'none' },
  dead: { table: 'DeadLetters', owner: 'none' },
  finished: { table: 'gone (History may keep an entry)', owner: 'none' },
};

/** The whole life of a job as data. `docs/reference/lifecycle.md` is generated from it; `test/local/lifecycle.test.ts` walks every verb of it in a region. */
// oxfmt-ignore
export const TRANSITIONS: readonly Transition[] = [
  { verb: 'enqueue', by: ['client', 'admin', 'executor'], from: ['none'], to: ['ready'], write: "put Jobs (a caller's own id: if absent everywhere); with a key, an own id, a batch or a place in a group: one transaction; `prepare`: in the caller's; a follow-up: in that of the completion", afterwards: 'send a hint, delayed until due' },
  { verb: 'schedule', by: ['client', 'executor'], from: ['none'], to: ['waiting'], write: "put Timers (a caller's own id: if absent everywhere); as enqueue" },
  { verb: 'call back', by: ['executor', 'sweeper', 'client', 'admin'], from: ['none'], to: ['ready'], write: 'transaction: put Jobs if absent, record it in the head of its batch if it is not recorded yet and the batch is sealed, with every counter as it was read unless `onFailed` alone is due', afterwards: 'send a hint' },
  { verb: 'fire', by: ['acquirer'], from: ['waiting'], to: ['ready'], write: 'transaction: delete timer if rev = seen, put Jobs if absent; for an occurrence put the next timer, if any, and point its schedule at it if rev = seen', afterwards: 'send a hint, delayed by what remains' },
  { verb: 'plan', by: ['admin', 'acquirer', 'sweeper'], from: ['none', 'finished', 'ready'], to: ['waiting'], write: 'transaction: put Timers, point its schedule at it if rev = seen (a new schedule: if absent); one that was fired ahead, when its schedule gets other times: delete Jobs if not running and rev = seen; one that was skipped or withdrawn may be planned again' },
  { verb: 'withdraw', by: ['admin', 'acquirer'], from: ['waiting', 'ready'], to: ['finished'], write: 'transaction: delete timer or, where it was fired ahead, Jobs if not running, each if rev = seen; change its schedule if rev = seen; an occurrence that was missed, or whose schedule was paused, changed or deleted; one that the acquirer finds without its schedule: delete timer alone' },
  { verb: 'skip', by: ['executor'], from: ['running'], to: ['finished'], write: 'transaction: delete Jobs if lockOwner = me and no cancel was requested, count it in its schedule if that is there, paused or gone as it was seen, put History' },
  { verb: 'expire', by: ['executor'], from: ['running'], to: ['finished'], write: 'transaction: delete Jobs if lockOwner = me and no cancel was requested, put History; a job that had to start earlier and never did' },
  { verb: 'claim', by: ['executor'], from: ['ready'], to: ['running'], write: 'update Jobs if lockOwner begins with queue/ and due' },
  { verb: 'take over', by: ['executor'], from: ['running'], to: ['running'], write: 'update Jobs if lockOwner, lockExpiresAt = seen (and expired) and no cancel was requested; crashes + 1 if it ran alone' },
  { verb: 'renew', by: ['executor'], from: ['running'], to: ['running'], write: 'update Jobs if lockOwner = me: lockExpiresAt, never shortened; only outside Lambda, and by a foreign worker that extends its lock' },
  { verb: 'complete', by: ['executor'], from: ['running'], to: ['finished'], write: 'delete Jobs if lockOwner = me and no cancel was requested, otherwise once more if lockOwner = me, as cancelled; with anything else to write (key, batch, place in a group, durable history, options of `complete`): one transaction' },
  { verb: 'retry', by: ['executor'], from: ['running'], to: ['ready', 'waiting'], write: 'soon: update Jobs if lockOwner = me and no cancel was requested; later: transaction: put timer, put pointer, delete Jobs if lockOwner = me and rev = seen', afterwards: 'soon: send a delayed hint' },
  { verb: 'snooze', by: ['executor'], from: ['running'], to: ['ready', 'waiting'], write: 'as retry; counts against nothing', afterwards: 'soon: send a delayed hint' },
  { verb: 'give back', by: ['executor'], from: ['running'], to: ['ready'], write: 'update Jobs if lockOwner = me and no cancel was requested; counts against nothing', afterwards: 'make the message visible, or send a hint' },
  { verb: 'continue', by: ['executor'], from: ['running'], to: ['ready'], write: 'update Jobs if lockOwner = me and no cancel was requested, with the new state; counts as no attempt', afterwards: 'send a hint' },
  { verb: 'report progress', by: ['executor'], from: ['running'], to: ['running'], write: 'update Jobs if lockOwner = me: percentage and text' },
  { verb: 'park', by: ['executor'], from: ['running'], to: ['parked'], write: 'transaction: put Timers by limit or by group, put pointer, delete Jobs if lockOwner = me and rev = seen; counts against nothing' },
  { verb: 'release', by: ['executor', 'acquirer', 'admin'], from: ['parked'], to: ['ready'], write: 'transaction: delete Timers if rev = seen, put Jobs if absent, put the slot of the limit if it is mine or free; without a slot for the next job of a group', afterwards: 'send a hint' },
  { verb: 'book', by: ['executor'], from: ['running'], to: ['ready', 'waiting'], write: 'as retry, due at the start that it booked under a rate limit; counts against nothing', afterwards: 'soon: send a delayed hint' },
  { verb: 'bury', by: ['executor', 'sweeper'], from: ['running'], to: ['dead'], write: 'transaction: put DeadLetters if absent, delete Jobs if lockOwner = me or seen, and rev = seen' },
  { verb: 'bury by hand', by: ['admin'], from: ['waiting', 'parked', 'ready', 'suspended'], to: ['dead'], write: 'transaction: put DeadLetters if absent, delete the row if not running and rev = seen; in its batch it counts as failed; for the next occurrence of a schedule settle its time there if rev = seen' },
  { verb: 'reset', by: ['sweeper'], from: ['ready', 'running'], to: ['ready'], write: 'update Jobs if lockOwner, lockExpiresAt = seen and no cancel was requested; crashes + 1 if it ran alone', afterwards: 'send a hint, marked alone after a crash' },
  { verb: 'quarantine', by: ['executor', 'acquirer', 'sweeper'], from: ['ready', 'running', 'waiting', 'parked', 'suspended'], to: ['dead'], write: 'transaction: put DeadLetters with the raw row, up to a size, if absent, delete the row if unchanged' },
  { verb: 'suspend', by: ['executor', 'admin'], from: ['running', 'ready', 'waiting', 'suspended'], to: ['suspended'], write: 'transaction: put Suspended, delete the row if lockOwner = me (admin: if not running) and rev = seen' },
  { verb: 'resume', by: ['sweeper', 'admin'], from: ['suspended'], to: ['ready', 'waiting'], write: 'transaction: delete Suspended if rev = seen, put Jobs if absent (due later: put timer, put pointer); also by a move or another tenant that takes away what held it', afterwards: 'due soon: send a hint; the sweeper spreads them at the stored rate, if there is one' },
  { verb: 'run now', by: ['admin'], from: ['suspended', 'waiting', 'ready'], to: ['ready'], write: 'transaction: delete the row if rev = seen, put Jobs if absent, due now and exempt from suspension (or put Jobs if not running and rev = seen)', afterwards: 'send a hint' },
  { verb: 'set priority', by: ['admin'], from: ['waiting', 'parked', 'ready', 'suspended'], to: ['waiting', 'parked', 'ready', 'suspended'], inPlace: true, write: 'transaction: put the row if not running and rev = seen, with its new lane (ready and grouped: it keeps its lane)', afterwards: 'ready and not grouped: send a hint' },
  { verb: 'reroute', by: ['executor'], from: ['running'], to: ['ready'], write: 'update Jobs if lockOwner = me and no cancel was requested, with the priority of a rule and its lane; counts against nothing', afterwards: 'send a hint' },
  { verb: 'set retries', by: ['admin'], from: ['waiting', 'parked', 'ready', 'running', 'suspended'], to: ['waiting', 'parked', 'ready', 'running', 'suspended'], inPlace: true, write: 'update the row where it lies if rev = seen: triesLimit', afterwards: 'nothing: the job stays as it is' },
  { verb: 'reschedule', by: ['client', 'admin'], from: ['waiting', 'parked', 'ready'], to: ['waiting', 'ready'], write: 'soon: transaction: delete timer, put Jobs (ready: put Jobs if not running); later: delete the row, put timer, put pointer; all if rev = seen', afterwards: 'soon: send a hint' },
  { verb: 'replace', by: ['client'], from: ['waiting', 'parked', 'ready', 'suspended'], to: ['waiting', 'ready', 'suspended'], write: 'an enqueue whose key is held and may be replaced: put the row if not running and rev = seen, as reschedule does, with the payload and options of the enqueue and fresh counters; a suspended job stays suspended, unless its old group held it', afterwards: 'due soon: send a hint, unless that of a ready job is still good' },
  { verb: 'cancel', by: ['client', 'admin', 'executor'], from: ['waiting', 'parked', 'ready', 'suspended'], to: ['finished'], write: 'transaction: delete the row if not running and rev = seen, put History; for the next occurrence of a schedule settle its time there if rev = seen; an executor cancels the earlier occurrence for the one that comes, and what a completion names in the transaction of that' },
  { verb: 'request cancel', by: ['client', 'admin', 'executor'], from: ['running'], to: ['running'], write: 'update Jobs if lockOwner = seen: cancelRequested, reason, actor; an enqueue that replaces it: in the transaction that puts the new job and gives it the key; a completion that cancels it: in its transaction' },
  { verb: 'end as cancelled', by: ['executor', 'sweeper'], from: ['running'], to: ['finished'], write: 'transaction: delete Jobs if lockOwner = me, or lockOwner, lockExpiresAt = seen, put History' },
  { verb: 'redrive', by: ['admin'], from: ['dead'], to: ['ready', 'waiting'], write: 'transaction: delete DeadLetters if unchanged, put Jobs (due later: Timers, with a pointer) if absent with fresh counters, take its key again, unless its time is over, or refuse', afterwards: 'due soon: send a hint' },
  { verb: 'delete', by: ['admin'], from: ['dead'], to: ['finished'], write: 'transaction: delete DeadLetters if rev = seen; History gets no entry' },
  { verb: 'remove', by: ['sweeper'], from: ['dead'], to: ['finished'], write: 'of what is older than a rule of retention or `deadLetterDays` keeps it: transaction: delete DeadLetters if rev = seen, check that its error group has no note and no owner, record it in the audit' },
  { verb: 'edit', by: ['admin'], from: ['waiting', 'ready', 'suspended', 'dead'], to: ['waiting', 'ready', 'suspended', 'dead'], inPlace: true, write: 'transaction: update the row if not running and rev = seen: payload or tenant; its unique key moves to the new tenant or the edit is refused', afterwards: 'nothing: the job stays where it is' },
  { verb: 'edit and release', by: ['admin'], from: ['parked'], to: ['ready'], write: 'transaction: delete Timers if rev = seen, put Jobs if absent, with another payload or tenant, whose limits it checks again', afterwards: 'send a hint' },
  { verb: 'move', by: ['admin'], from: ['waiting', 'ready', 'suspended', 'dead'], to: ['waiting', 'ready', 'suspended', 'dead'], inPlace: true, write: 'transaction: update the row if rev = seen: worker, type and lane (ready: put Jobs, dispatched again, if not running and rev = seen); its unique key moves to the new type or the move is refused', afterwards: 'ready: send a hint to the queue of its worker' },
  { verb: 'move and release', by: ['admin'], from: ['parked'], to: ['ready'], write: 'transaction: delete Timers if rev = seen, put Jobs if absent, with another worker or type, whose limits it checks', afterwards: 'send a hint' },
];

/** A way from one state to another. */
export interface Way {
  readonly source: JobState | 'none';
  readonly target: JobState;
}

/** Every way that a transition allows. */
export function waysOf({ from, to, inPlace }: Transition): readonly Way[] {
  return from.flatMap((source) => to.filter((target) => inPlace !== true || target === source).map((target) => ({ source, target })));
}
