import { defined } from '../../../job/defined.ts';
import { fingerprint, topFrame } from '../../../job/fingerprint.ts';
import type { JobError } from '../../../job/job.ts';

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
  /** What operators wrote about it. */
  readonly note?: string;
  readonly owner?: string;
  /** Left out of the open ones before this. */
  readonly ignoredUntil?: number;
  /** When an operator said that it is fixed, and who. */
  readonly resolvedAt?: number;
  readonly resolvedBy?: string;
}

/** Where an error group stands for operators. */
export type GroupState = 'open' | 'ignored' | 'resolved' | 'closed';

/**
 * The state of a group with this number of open dead letters. One that is ignored stays so whatever happens until its time is over; one that is resolved
 * is open again as soon as a job dies of the fault after that.
 */
export function groupState(group: Pick<StoredGroup, 'lastSeen' | 'ignoredUntil' | 'resolvedAt'>, open: number, now: number): GroupState {
  if (open === 0) return 'closed';
  if ((group.ignoredUntil ?? 0) > now) return 'ignored';
  return group.resolvedAt !== undefined && !hasRecurred(group) ? 'resolved' : 'open';
}

/** Whether a job died of the fault after an operator said that it is fixed. */
export function hasRecurred({ lastSeen, resolvedAt }: Pick<StoredGroup, 'lastSeen' | 'resolvedAt'>): boolean {
  return lastSeen > (resolvedAt ?? Number.POSITIVE_INFINITY);
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

/** The sum of its counters; negative if dead letters were removed before they were counted. */
export const groupSum = ({ seen, redriven, deleted, settled }: GroupCounts): number => seen + settled - redriven - deleted;

/**
 * Current dead letters of a group, as far as counted. A death since the last removal and the last count makes it at least one
 * regardless of the counters.
 */
export function openCount(group: GroupCounts & Pick<StoredGroup, 'lastSeen' | 'leftAt' | 'settledAt'>): number {
  const { lastSeen, leftAt = 0, settledAt = 0 } = group;
  return Math.max(groupSum(group), lastSeen > Math.max(leftAt, settledAt) && group.seen > 0 ? 1 : 0);
}

/** A group without deaths for this long is quiet: the index has caught up, and sandboxes have written their counts. */
const QUIET_MS = 60_000;
/** How often open groups are recounted: this corrects counts lost when a process was killed. */
const OPEN_COUNTED_EVERY_MS = 3_600_000;

/** Whether a count of the index is reliable: the group has had no recent death. */
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
