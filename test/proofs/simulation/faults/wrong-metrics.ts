import type { QueueRef } from '../../../../shared/ports/hints.ts';
import type { Wide } from './wide-faults.ts';

/** How long a metric may say what was so before. */
const OLD_MS = 60_000;

/** What a queue says of the messages in it is an approximation: it may be wrong, old, or not come at all. */
export class WrongMetrics {
  /** Queues that say nothing from some moment on, forever. */
  silent = false;
  readonly #wide: Wide;
  readonly #now: () => number;
  readonly #told = new Map<string, { readonly at: number; readonly visible: number }>();

  constructor(wide: Wide, now: () => number) {
    this.#wide = wide;
    this.#now = now;
  }

  /** What is told of a queue with so many visible messages. */
  tell({ worker, lane, kind }: QueueRef, visible: number | undefined): number | undefined {
    if (this.silent) return undefined;
    if (visible === undefined || !this.#wide.has('wrong-metrics')) return visible;
    const queue = `${worker}/${lane}/${kind}`;
    const before = this.#told.get(queue);
    if (before === undefined || before.at < this.#now() - OLD_MS) this.#told.set(queue, { at: this.#now(), visible });
    if (!this.#wide.strikes('wrong-metrics', 0.6)) return visible;
    const draw = this.#wide.entropy.random();
    if (draw < 0.3) return undefined;
    return draw < 0.6 ? (before?.visible ?? 0) : Math.round(visible * this.#wide.entropy.random() * 2 + this.#wide.entropy.random() * 3);
  }
}
