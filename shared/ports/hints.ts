import type { Hint } from '../core/hint.ts';

/** Sends job ids to the queues. A hint may be lost or doubled: whoever sends logs a failure and leaves it to the sweeper. */
export interface HintSender {
  /** Never throws; gives back the hints that were not taken after several tries. */
  send(hints: readonly Hint[]): Promise<readonly Hint[]>;
}

/** Which queue a message came from, as far as the deployment knows it. */
export interface QueueRef {
  readonly worker: string;
  readonly lane: string;
  readonly kind: 'standard' | 'fifo';
}

/** A message that an executor holds. */
export interface ReceivedHint {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly queue: QueueRef;
  /** SQS's receive count: more than 1 means that somebody received it before and did not acknowledge it. */
  readonly receiveCount: number;
}

/** What an executor may do with a message besides acknowledging it. Failures are logged: the visibility timeout is the fallback. */
export interface Inbox {
  /** Makes the message visible again after `ms`; rounded up to seconds, at most 12 hours. */
  postpone(message: ReceivedHint, ms: number): Promise<void>;
  /** Copies an unreadable message to the dead-letter queue; throws when that fails, so that it is not acknowledged. */
  reject(message: ReceivedHint, reason: string): Promise<void>;
}

/** How many messages wait, for the sweeper: `undefined` when the queue does not say. */
export interface Backlog {
  visible(queue: QueueRef): Promise<number | undefined>;
}
