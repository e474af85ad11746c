import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { ModelTime } from './model-time.ts';

/** How long something takes, in milliseconds: half of all are quicker than `p50`, one in a hundred is slower than `p99`. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Of the standard normal distribution. */
const Z_OF_P99 = 2.326_348;

/** Draws how long requests take, from logarithmic normal distributions through both quantiles: a tail as services have it, the same in every run. */
export class Latencies {
  readonly #time: ModelTime;
  readonly #random: () => number;

  constructor(time: ModelTime, entropy: Pick<Entropy, 'random'>) {
    this.#time = time;
    this.#random = () => entropy.random();
  }

  draw({ p50, p99 }: Latency): number {
    const sigma = Math.log(p99 / p50) / Z_OF_P99;
    // Box and Muller; 1 - random, because the logarithm of 0 is no number.
    const normal = Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
    return p50 * Math.exp(sigma * normal);
  }

  /** Waits for a random latency. */
  pass(latency: Latency): Promise<void> {
    return this.#time.clock.wait(this.draw(latency));
  }
}
