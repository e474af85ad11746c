import type { Entropy } from '../../ports/entropy.ts';

/** Chance that repeats itself: the same seed gives the same draws (mulberry32). */
export function seededEntropy(seed: number): Entropy {
  let state = seed >>> 0;
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const bytes = (count: number): Uint8Array => new Uint8Array(count).map(() => Math.floor(random() * 256));
  return { random, bytes, token: () => Buffer.from(bytes(16)).toString('base64url') };
}
