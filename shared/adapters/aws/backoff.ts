import type { Clock } from '../../ports/clock.ts';
import type { Entropy } from '../../ports/entropy.ts';

/** Time and chance of an adapter. */
export interface Pace {
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** A try with less time than this would hardly get an answer. */
const SHORTEST_TRY_MS = 100;

/**
 * Waits before try `tries` + 1: full jitter over a time that doubles from `baseMs`, at most 2 s, cut so that a try can still end by
 * `latest`. Returns false at once if no try can.
 */
export async function backOff({ clock, entropy }: Pace, tries: number, baseMs: number, latest: number): Promise<boolean> {
  const left = latest - SHORTEST_TRY_MS - clock.now();
  if (left < 0) return false;
  await clock.wait(Math.min(entropy.random() * Math.min(baseMs * 2 ** tries, 2_000), left));
  return true;
}

/** A list cut into pieces of at most `size`. */
export function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, piece) => items.slice(piece * size, (piece + 1) * size));
}
