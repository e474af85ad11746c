import { defined } from '../../../core/defined.ts';
import { fingerprint, topFrame } from '../../../core/fingerprint.ts';
import type { JobError } from '../../../core/job.ts';

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
  /** When a dead letter left it last. */
  readonly leftAt?: number;
  /** Up to when the index was counted. */
  readonly settledAt?: number;
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
    ...defined({ frame: shown }),
    id,
    at: error.at,
  };
}

/** What its counters add up to; below zero when dead letters left it that nobody had told of. */
export const groupSum = ({ seen, redriven, deleted, settled }: GroupCounts): number => seen + settled - redriven - deleted;

/**
 * Dead letters of a group that lie there, as far as was counted. A death since the last one left, and since the last count, is one
 * at least, whatever the counters say.
 */
export function openCount(group: GroupCounts & Pick<StoredGroup, 'lastSeen' | 'leftAt' | 'settledAt'>): number {
  const { lastSeen, leftAt = 0, settledAt = 0 } = group;
  return Math.max(groupSum(group), lastSeen > Math.max(leftAt, settledAt) && group.seen > 0 ? 1 : 0);
}

/** A group that nobody died of for so long is quiet: the index has caught up with it, and sandboxes have told what they will tell. */
const QUIET_MS = 60_000;
/** What a process took along that was killed between an action and its count is found by counting open groups so often. */
const OPEN_COUNTED_EVERY_MS = 3_600_000;

/** Whether a count of the index says something: nobody has just died of it. */
export const isQuiet = ({ lastSeen }: Pick<StoredGroup, 'lastSeen'>, now: number): boolean => !isJust(lastSeen, now);

/** Whether a group is to be counted in the index: it changed since that was done last, or is open and that was long ago. */
export function isToBeSettled(group: StoredGroup, now: number): boolean {
  const { lastSeen, leftAt = 0, settledAt = 0 } = group;
  if (isJust(lastSeen, now) || isJust(leftAt, now)) return false;
  return Math.max(lastSeen, leftAt) > settledAt || (openCount(group) > 0 && now - settledAt >= OPEN_COUNTED_EVERY_MS);
}

const isJust = (at: number, now: number): boolean => at <= now && now - at < QUIET_MS;

/** The instant up to which a count made now is right, with some room for clocks and for what is under way. */
export const settledUpTo = (now: number): number => now - QUIET_MS / 2;
