/** A job queue under measurement: its store runs, and its workers are a process that `worker` starts. */
export interface PeerSystem {
  readonly name: string;
  /** Its platform, versions and settings. */
  readonly about: string;
  /** Processes whose CPU time is the store's. */
  readonly storePids: readonly number[];
  readonly worker: WorkerEntry;
  /** Creates jobs with the system's own bulk call. */
  readonly enqueueMany: (count: number) => Promise<void>;
  readonly enqueueOne: () => Promise<void>;
  /** Whether no job is left that waits or runs. */
  readonly isEmpty: () => Promise<boolean>;
  stop(): Promise<void>;
}

/** A worker's file, relative to `workers/`, and its arguments about the store. */
export interface WorkerEntry {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Jobs that a worker runs at the same time, in every system. */
export const CONCURRENCY = 10;

/** The queue, task or job type, in every system. */
export const JOB = 'noop';

/** Jobs that one call of a peer's bulk insert takes; ours makes its own batches. */
export const BULK = 1_000;

/** The payload of each job, in every system. */
export const payload = (number: number): { readonly number: number } => ({ number });

/** Payloads in the batches of a bulk call. */
export function payloadBatches(count: number): { readonly number: number }[][] {
  const all = Array.from({ length: count }, (_, number) => payload(number));
  return Array.from({ length: Math.ceil(count / BULK) }, (_, batch) => all.slice(batch * BULK, (batch + 1) * BULK));
}
