import type { QueueRef, ReceivedHint } from './hints.ts';

/** How a source is asked. */
export interface ReceiveTerms {
  /** The maximum number of messages, 1 to 10. */
  readonly max: number;
  /** How long to wait for the first one, in milliseconds, at most 20 s; rounded to whole seconds. */
  readonly waitMs: number;
  /** Ends the wait. A message that was on its way may then stay hidden until its visibility timeout. */
  readonly signal?: AbortSignal;
}

/** The source of messages for a worker without an event source: it polls, waits, and acknowledges by itself. */
export interface HintSource {
  /** Messages of one queue, none when the wait ended without one. Throws StoreUnavailableError or StoreRefusedError. */
  receive(queue: QueueRef, terms: ReceiveTerms): Promise<readonly ReceivedHint[]>;
  /** Removes a message. Throws as `receive` does; a receipt from before a later receive may do nothing. */
  acknowledge(message: ReceivedHint): Promise<void>;
}
