/** Messages from the bench to a worker process. */
export type Command = { readonly do: 'work' | 'rest' | 'end' } | { readonly do: 'expect'; readonly jobs: number };

/** Its answers; instants are milliseconds of the machine's monotonic clock, which all processes share. */
export type Answer =
  | { readonly is: 'ready' | 'working' | 'resting' }
  | { readonly is: 'seen'; readonly firstAt: number; readonly lastAt: number }
  | { readonly is: 'failed'; readonly why: string };

/** The same instant in every process of the machine. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
