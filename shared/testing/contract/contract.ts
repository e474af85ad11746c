import type { Tables } from '../../ports/tables.ts';
import type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../../ports/hints.ts';

/** One promise of a port. `check` throws an AssertionError of node:assert where the subject breaks it. */
export interface ContractCheck<Subject> {
  /** A sentence; no two checks of a contract have the same. */
  readonly title: string;
  /** Every check gets a subject of its own, which is empty. */
  readonly check: (subject: Subject) => Promise<void>;
}

/** What a store hands to each check: empty tables, and the time by the clock that its write windows are judged by. */
export interface TablesSubject {
  readonly tables: Tables;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What a queue hands to each check: empty queues of `HINTS_CONTRACT_WORKERS` and the consumer side that an event source has. */
export interface HintsSubject {
  readonly hints: HintSender & Inbox & Backlog;
  /** At most 10 messages that are visible now; each is hidden for a minute or so. */
  receive(queue: QueueRef): Promise<readonly ReceivedHint[]>;
  acknowledge(message: ReceivedHint): Promise<void>;
  /** Lets `ms` pass: a clock moved on, or waited for. */
  pass(ms: number): Promise<void>;
  /** What was copied to the dead-letter queue beside the worker `w`'s queues of a kind. */
  rejected(kind: QueueRef['kind']): Promise<readonly { readonly body: string; readonly reason: string }[]>;
}
