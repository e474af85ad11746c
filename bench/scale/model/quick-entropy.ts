import type { Entropy } from '../../../shared/ports/entropy.ts';

const WORD = 2 ** 32;

/** Reproducible randomness, four bytes per draw (xorshift): a million jobs draw thirty million bytes. */
export function quickEntropy(seed: number): Entropy {
  let state = seed | 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  // The first words of a small seed are small.
  for (let n = 0; n < 16; n++) next();
  const bytes = (count: number): Uint8Array<ArrayBuffer> => {
    const drawn = new Uint8Array(count);
    for (let at = 0; at < count;) for (let word = next(), n = 0; n < 4 && at < count; n++, word >>>= 8) drawn[at++] = word;
    return drawn;
  };
  // A word is never 0.
  return { random: () => (next() - 1) / WORD, bytes, token: () => Buffer.from(bytes(16).buffer).toString('base64url') };
}
