import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';

/** Time and chance of an adapter. */
export interface Pace {
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** Waits before try `tries` + 1: full jitter over a time that doubles from `baseMs`, at most 2 s. */
export function backOff({ clock, entropy }: Pace, tries: number, baseMs: number): Promise<void> {
  return clock.wait(entropy.random() * Math.min(baseMs * 2 ** tries, 2_000));
}

/** A list cut into pieces of at most `size`. */
export function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, piece) => items.slice(piece * size, (piece + 1) * size));
}
