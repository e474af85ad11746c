import { LAMBDA, SQS } from './aws-limits.ts';
import type { Latencies } from './latency.ts';
import type { ModelQueue, Received } from './model-queue.ts';
import type { ModelTime } from './model-time.ts';

/** How an event source is set. `warm`: it has been busy for long, so that nothing keeps it from its most. */
export interface EventSourceOptions {
  readonly time: ModelTime;
  readonly latencies: Latencies;
  readonly queue: ModelQueue;
  readonly batchSize: number;
  /** The mapping's MaximumConcurrency. */
  readonly most: number;
  readonly warm?: boolean;
  /** Runs a batch and settles its messages. */
  readonly run: (messages: readonly Received[]) => Promise<void>;
}

const SECOND_MS = 1_000;

/** Lambda's event source of one queue: five batches at a time at first, three hundred more a minute while there is a backlog. */
export class EventSource {
  /** The most batches that ran at a time. */
  peak = 0;
  readonly #options: EventSourceOptions;
  #running = 0;
  #busySince: number | undefined;
  #idleSince = Number.NEGATIVE_INFINITY;
  #looking = false;

  constructor(options: EventSourceOptions) {
    this.#options = options;
    options.queue.onVisible = () => this.#pump();
  }

  /** How many batches may run at this instant. */
  get allowed(): number {
    const { time, most, warm = false } = this.#options;
    const cap = Math.min(most, LAMBDA.mostPerMapping);
    if (warm) return cap;
    const busyMs = this.#busySince === undefined ? 0 : time.now - this.#busySince;
    return Math.min(cap, LAMBDA.firstPollers + Math.floor((busyMs / 60_000) * LAMBDA.morePerMinute));
  }

  #pump(): void {
    const { time, queue, batchSize } = this.#options;
    if (queue.visible > 0 && this.#running === 0 && time.now - this.#idleSince > LAMBDA.idleMs) this.#busySince = time.now;
    while (this.#running < this.allowed) {
      const messages = queue.receive(batchSize);
      if (messages.length === 0) return;
      this.#running++;
      this.peak = Math.max(this.peak, this.#running);
      void this.#deliver(messages);
    }
    if (queue.visible > 0) this.#lookAgain();
  }

  async #deliver(messages: readonly Received[]): Promise<void> {
    const { latencies, queue } = this.#options;
    await latencies.pass(queue.ref.kind === 'fifo' ? SQS.fifoHopMs : SQS.hopMs);
    await this.#options.run(messages);
    if (--this.#running === 0) this.#idleSince = this.#options.time.now;
    this.#pump();
  }

  #lookAgain(): void {
    if (this.#looking) return;
    this.#looking = true;
    this.#options.time.after(SECOND_MS, () => {
      this.#looking = false;
      this.#pump();
    });
  }
}
