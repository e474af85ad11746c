/** The timeout in milliseconds, and the awaited event, in words that continue "waited 30 s for". */
export interface Patience {
  readonly ms: number;
  readonly what: string;
}

/** Awaits with a timeout, whose error names what was awaited, so that a bench never hangs silently. */
export function within<Result>(wait: Promise<Result>, { ms, what }: Patience): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Error(`waited ${ms / 1_000} s for ${what}, in vain`)), ms);
  return Promise.race([wait, promise]).finally(() => clearTimeout(late));
}
