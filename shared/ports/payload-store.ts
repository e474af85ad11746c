import type { JobId } from '../job/job-id.ts';

/** A text in a payload store: its key begins with the id of its job and a slash. `get` gives exactly this version. */
export interface PayloadRef {
  readonly key: string;
  readonly version: string;
}

/** A text that was not deleted. */
export interface KeptPayload {
  readonly key: string;
  /** When it was stored, epoch milliseconds of the store's clock. */
  readonly storedAt: number;
  readonly bytes: number;
}

/** Where payloads are kept that are too large for a row. Each verb throws when the store does not answer, and may be called again. */
export interface PayloadStore {
  /** Stores a text under a key of its own. It is durable, and `get` finds it, when this returns. */
  readonly put: (job: JobId, text: string) => Promise<PayloadRef>;
  /** The text, also for a time after its key was deleted; undefined if it is gone. */
  readonly get: (ref: PayloadRef) => Promise<string | undefined>;
  /** Removes a key; its text stays readable by its version for as long as the store keeps such versions. No error if it is removed already. */
  readonly delete: (key: string) => Promise<void>;
  /** A page of what was not deleted, in the order of the keys, after a key. `next`: the key to continue after; absent at the end. */
  readonly list: (after?: string) => Promise<{ readonly payloads: readonly KeptPayload[]; readonly next?: string }>;
}
