import type { Hint } from '../job/hint.ts';

/** Sends job ids to the queues. A hint may be lost or duplicated: the sender logs a failure and leaves it to the sweeper. */
export interface HintSender {
  /** Never throws; gives back the hints that were not taken after several tries. */
  send(hints: readonly Hint[]): Promise<readonly Hint[]>;
}

/** The queue that a message came from, if the deployment knows it. */
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
  /** SQS's receive count: more than 1 means that it was received before and not acknowledged. */
  readonly receiveCount: number;
}

/**
 * What an executor may do with a message other than acknowledge it. If `postpone` or `discard` fails, that is logged and not thrown: the visibility timeout is
 * the fallback. `reject` throws.
 */
export interface Inbox {
  /** Makes the message visible again after `ms`; rounded up to seconds, at most 12 hours. */
  postpone(message: ReceivedHint, ms: number): Promise<void>;
  /**
   * Deletes messages whose jobs are done with, for an executor that ends its process and so never answers its event source. What is not
   * deleted comes back and finds no job to claim.
   */
  discard(messages: readonly ReceivedHint[]): Promise<void>;
  /** Copies an unreadable message to the dead-letter queue; throws when that fails, so that it is not acknowledged. */
  reject(message: ReceivedHint, reason: string): Promise<void>;
}

/** The number of waiting messages, for the sweeper: `undefined` if the queue does not report it. */
export interface Backlog {
  visible(queue: QueueRef): Promise<number | undefined>;
}
