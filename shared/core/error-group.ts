import { fingerprint, topFrame } from './fingerprint.ts';
import type { JobError } from './job.ts';

/** One death: what its error group shows of it. `at` is epoch milliseconds. */
export interface Death {
  readonly fingerprint: string;
  readonly type: string;
  readonly errorName: string;
  readonly message: string;
  readonly frame?: string;
  /** Id of the dead letter. */
  readonly id: string;
  readonly at: number;
}

/** Counters of an error group. */
export interface GroupCounts {
  readonly seen: number;
  readonly redriven: number;
  readonly deleted: number;
  /** What a count of the index took off, or put on, because sandboxes that die take counts along. */
  readonly settled: number;
}

/** An error group as it is stored; instants are epoch milliseconds. */
export interface StoredGroup extends GroupCounts, Omit<Death, 'id' | 'at'> {
  readonly sample: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** How a dead letter left its group. */
export type LeftAs = 'redriven' | 'deleted';

/** The death of a job of this type by this error. */
export function deathOf(id: string, type: string, error: JobError): Death {
  const frame = topFrame(error);
  // The line went from it together with the parenthesis behind it.
  const shown = frame?.includes('(') && !frame.endsWith(')') ? `${frame})` : frame;
  return {
    fingerprint: fingerprint(type, error),
    type,
    errorName: error.name,
    message: error.message,
    ...(shown === undefined ? {} : { frame: shown }),
    id,
    at: error.at,
  };
}

/** Dead letters of a group that lie there, as far as was counted; never below none. */
export function openCount({ seen, redriven, deleted, settled }: GroupCounts): number {
  return Math.max(0, seen + settled - redriven - deleted);
}
