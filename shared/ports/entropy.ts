/** Chance, handed in, so that a run can be repeated from a seed. */
export interface Entropy {
  /** Uniform in [0, 1). */
  random(): number;
  /** A unique text: 22 characters, 128 random bits. */
  token(): string;
  bytes(count: number): Uint8Array;
}
