import { defined } from '../../../job/defined.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import type { LeasedJob } from '../../../job/job.ts';
import { isJobId, type JobId } from '../../../job/job-id.ts';
import type { RowKey, Tables } from '../../../ports/tables.ts';
import { all, any, noRow, unchanged } from '../../../store/conditions.ts';
import { type Living, locateLiving } from '../../../store/locate.ts';
import { scheduleRunKey, scheduleWaitKey } from './schedule-rows.ts';

/** A schedule is idle for longer than this only if it comes less than once a month; its row is then cleaned up and made again. */
const TURN_DAYS = 40;

/**
 * Whether the turn was taken; if not, the unfinished occurrence that has it, unless its row cannot be read or it took the turn just now. `passed`: a
 * later occurrence has had the turn.
 */
export type TurnTaken = { readonly taken: true } | TurnLeft;
export interface TurnLeft {
  readonly taken: false;
  readonly holder?: Living;
  /** When the lease ends under which it was taken last: until then a handler may still run, though the holder is in its queue again. */
  readonly leaseUntil?: number;
  readonly passed?: true;
}

type Taker = Pick<LeasedJob, 'id' | 'lockOwner' | 'lockExpiresAt'>;

/** The place of an occurrence in the sequence of its schedule, which began at `anchor`. */
export interface Place {
  readonly anchor: number;
  readonly nominalAt: number;
}

/** What the turn of a schedule depends on, except for its holder. */
export type TurnTerms = Omit<Terms, 'hasLeft' | 'waits'>;

/** What a row of a turn depends on, except for its holder. */
interface Terms {
  readonly now: number;
  /** Whether the holder has no use for it any more, though it is not finished. */
  readonly hasLeft?: (holder: JobId) => Promise<boolean>;
  /** States in which a holder keeps it. Default: each in which it is not finished. */
  readonly waits?: readonly Living['state'][];
  /** Written with the turn. One that an operator asked for has none: what it runs is not the schedule's latest. */
  readonly place?: Place;
  /** Whether the turn is lost to an occurrence of whose sequence a later one has had it. */
  readonly latestWins?: boolean;
  /** Whether others wait for the turn who come before it; not asked of the one that has it. */
  readonly isBehind?: () => Promise<boolean>;
}

/**
 * Takes the turn of a schedule whose occurrences do not overlap: one write if it was never taken. Turns are not released: an occurrence that finds
 * one taken checks whether its holder has finished (two to twelve reads; none if it is the holder itself) and takes it over if so, from the claim that it
 * saw: a holder that has come back since has taken it anew. Not taken while another occurrence that had the turn has not finished, in any table.
 */
export async function takeScheduleTurn(tables: Tables, name: string, taker: Taker, terms: TurnTerms): Promise<TurnTaken> {
  return takeRow(tables, scheduleRunKey(name), taker, terms);
}

/**
 * Takes the place of the one occurrence that may wait for the turn, with the same writes; false if another one waits there. The
 * one that has the turn has left its place, which costs a read to find out, and so has one that an operator suspended or postponed.
 */
export async function takeWaitingPlace(tables: Tables, name: string, taker: Taker, now: number): Promise<boolean> {
  const hasLeft = async (holder: JobId): Promise<boolean> => (await tables.get('control', scheduleRunKey(name)))?.['jobId'] === holder;
  const turn = await takeRow(tables, scheduleWaitKey(name), taker, { now, hasLeft, waits: ['ready', 'running'] });
  return turn.taken;
}

async function takeRow(tables: Tables, key: RowKey, { id, lockOwner, lockExpiresAt }: Taker, terms: Terms): Promise<TurnTaken> {
  const { now, hasLeft, waits, place, latestWins = false, isBehind } = terms;
  const at = place === undefined ? {} : { anchor: iso(place.anchor), nominalAt: iso(place.nominalAt) };
  const set = { jobId: id, claim: lockOwner, leaseUntil: iso(lockExpiresAt), ...at, expiresAt: Math.ceil(now / 1000) + TURN_DAYS * 86_400 };
  const take = { op: 'update', table: 'control', key, set } as const;
  // Even one's own turn is only taken as it was seen: this write may arrive late, and set back the time and the lease that a later claim wrote.
  const first = await tables.write({ ...take, condition: noRow('pk') });
  if (first.applied) return { taken: true };
  const { jobId: holder, claim, anchor, nominalAt: last } = first.row ?? {};
  if (latestWins && anchor === at.anchor && typeof last === 'string' && last > (at.nominalAt ?? '')) return { taken: false, passed: true };
  if (holder !== id && (await isBehind?.()) === true) return { taken: false };
  const left = !isJobId(holder) || holder === id || (await hasLeft?.(holder)) === true;
  const unfinished = left ? undefined : await ifStill(tables, holder, waits);
  const lease = defined({ leaseUntil: storedInstant(first.row?.['leaseUntil']) });
  if (unfinished !== undefined) return { taken: false, ...unfinished, ...lease };
  const asSeen = all(unchanged('jobId', holder), unchanged('claim', claim));
  const second = await tables.write({ ...take, condition: any(noRow('pk'), asSeen) });
  return { taken: second.applied || second.row?.['claim'] === lockOwner };
}

async function ifStill(
  tables: Tables,
  id: JobId,
  states: readonly Living['state'][] | undefined,
): Promise<{ readonly holder?: Living } | undefined> {
  const holder = await locateLiving(tables, id);
  if (holder === 'unreadable') return {};
  return holder === undefined || states?.includes(holder.state) === false ? undefined : { holder };
}
