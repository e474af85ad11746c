/** How long, in milliseconds, and for what, in words that go on from "waited 30 s for". */
export interface Patience {
  readonly ms: number;
  readonly what: string;
}

/** What was waited for; an error that names it when it has not come in time, because a bench that hangs tells nothing. */
export function within<Result>(wait: Promise<Result>, { ms, what }: Patience): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Error(`waited ${ms / 1_000} s for ${what}, in vain`)), ms);
  return Promise.race([wait, promise]).finally(() => clearTimeout(late));
}
