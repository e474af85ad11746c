import { within } from '../frame/within.ts';

/** Messages that were sent and have not arrived, by number: `performance.now()` of both ends, because both are in this process. */
export class Arrivals {
  readonly #waiting = new Map<number, (at: number) => void>();
  #last = 0;

  /** A number that nothing else has, and when it arrives. Rejects after half a minute. */
  expect(): { readonly n: number; readonly arrived: Promise<number> } {
    const n = (this.#last += 1);
    const arrived = new Promise<number>((resolve) => this.#waiting.set(n, resolve));
    return { n, arrived: within(arrived, { ms: LATEST_MS, what: `message ${n} to arrive` }) };
  }

  /** The first thing that a handler calls. A second arrival of the same message is none. */
  arrive(n: number): void {
    const at = performance.now();
    this.#waiting.get(n)?.(at);
    this.#waiting.delete(n);
  }
}

const LATEST_MS = 30_000;
