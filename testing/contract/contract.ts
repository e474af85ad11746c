import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import type { Backlog, HintSender, Inbox, QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';

/** One promise of a port. `check` throws an AssertionError of node:assert where the subject breaks it. */
export interface ContractCheck<Subject> {
  /** A sentence; no two checks of a contract have the same. */
  readonly title: string;
  /** Every check gets a subject of its own, which is empty. */
  readonly check: (subject: Subject) => Promise<void>;
}

/** What a store provides to each check: empty tables, and the time by the clock of its write windows. */
export interface TablesSubject {
  readonly tables: Tables;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What a queue provides to each check: empty queues of `HINTS_CONTRACT_WORKERS`, and the consumer side of an event source. */
export interface HintsSubject {
  readonly hints: HintSender & Inbox & Backlog;
  /** At most 10 messages that are visible now; each is hidden for a minute or so. */
  receive(queue: QueueRef): Promise<readonly ReceivedHint[]>;
  acknowledge(message: ReceivedHint): Promise<void>;
  /** Lets `ms` pass: a clock moved on, or waited for. */
  pass(ms: number): Promise<void>;
  /** The messages copied to the dead-letter queue of the worker `w`'s queues of a kind. */
  rejected(kind: QueueRef['kind']): Promise<readonly { readonly body: string; readonly reason: string }[]>;
}

/** What a queue provides to each check of its polling side. */
export interface SourceSubject extends HintsSubject {
  readonly source: HintSource;
}
