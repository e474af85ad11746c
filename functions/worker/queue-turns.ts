import type { QueueRef } from '../../shared/ports/hints.ts';

/** The longest wait of one poll. */
const LONG_POLL_MS = 20_000;
/** The longest wait while another queue is not being polled. */
const TURN_MS = 3_000;

/** The next poll: which queue, how many messages at most, how long to wait for the first. */
export interface Poll {
  readonly queue: QueueRef;
  readonly max: number;
  readonly waitMs: number;
}

/**
 * Chooses the next queue to poll. Queues take turns, so that none starves. With fewer free places than queues the waits are short, because
 * a job may be waiting in another queue; while a queue has messages, no other is long-polled.
 */
export class QueueTurns {
  readonly #idle: QueueRef[];
  readonly #all: number;
  /** Not being polled, and had messages at its last poll. */
  readonly #hot = new Set<QueueRef>();

  constructor(queues: readonly QueueRef[]) {
    this.#idle = [...queues];
    this.#all = queues.length;
  }

  /** The next poll for this many free places; undefined if there is none, or every queue is being polled. */
  next(free: number): Poll | undefined {
    const polled = Math.min(free, this.#idle.length);
    const queue = this.#idle[0];
    if (polled <= 0 || queue === undefined) return undefined;
    this.#idle.shift();
    this.#hot.delete(queue);
    const polls = this.#all - this.#idle.length + polled - 1;
    return {
      queue,
      // Jobs of one group would wait for each other here; it is better to leave them in their queue.
      max: queue.kind === 'fifo' ? 1 : Math.min(10, Math.floor(free / polled)),
      waitMs: this.#hot.size > 0 ? 0 : polls < this.#all ? TURN_MS : LONG_POLL_MS,
    };
  }

  /** A poll of a queue ended with this many messages: its next turn comes after those of the others. */
  ended(queue: QueueRef, messages: number): void {
    if (messages > 0) this.#hot.add(queue);
    this.#idle.push(queue);
  }
}
