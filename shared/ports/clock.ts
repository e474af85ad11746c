/** Time, handed in. The only adapter that reads the machine's clock is `adapters/system.ts`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}
