import type { QueueRef, ReceivedHint } from './hints.ts';

/** How a source is asked. */
export interface ReceiveTerms {
  /** At most so many messages, 1 to 10. */
  readonly max: number;
  /** How long to wait for the first one, in milliseconds, at most 20 s; rounded to whole seconds. */
  readonly waitMs: number;
  /** Ends the wait. A message that was on its way may then stay hidden until its visibility timeout. */
  readonly signal?: AbortSignal;
}

/** Where a worker without an event source gets its messages: it asks, waits, and acknowledges by itself. */
export interface HintSource {
  /** Messages of one queue, none when the wait ended without one. Throws StoreUnavailableError or StoreRefusedError. */
  receive(queue: QueueRef, terms: ReceiveTerms): Promise<readonly ReceivedHint[]>;
  /** Removes a message. Throws as `receive` does; a receipt from before a later receive may do nothing. */
  acknowledge(message: ReceivedHint): Promise<void>;
}
