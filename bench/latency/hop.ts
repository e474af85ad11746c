/** One way from a sender to a handler. */
export interface Hop {
  /** Sends message `n`; its handler starts by calling `arrive(n)`. Resolves when the sender knows that it was accepted. */
  readonly send: (n: number) => Promise<unknown>;
}

/** A started hop. */
export interface RunningHop extends Hop {
  stop(): Promise<void>;
}
