import { defined } from '../job/defined.ts';
import { groupHash } from '../job/hint.ts';
import { iso } from '../job/instant.ts';
import type { Job } from '../job/job.ts';
import { MAX_CLOCK_SKEW_MS } from '../job/lease.ts';
import type { Row, RowKey, Tables, Write } from '../ports/tables.ts';

// The order of a group that a failure holds back: a row of Control for each job that has not ended, in the order in which they start.

/** What decides about a job's place. */
export type Placed = Pick<Job, 'id' | 'group' | 'groupPlace'>;

/** Partition of the places of a group, and of the row that names the job that has started. */
export const placesPartition = (hash: string): string => `places#${hash}`;

/** What the sort key of a place begins with. */
export const PLACE = 'place#';
/** Orders jobs of one instant. */
const NUMBER_DIGITS = 6;
/** Marks the number of a job that was due later than it was enqueued. It sorts behind every digit. */
const DELAYED = 'd';

/** Where a job stands that is due at `at`: behind `before` others of that instant, and behind all that were due when they were enqueued if it is not. */
export function placeText(
  at: number,
  { before = 0, delayed = false }: { readonly before?: number; readonly delayed?: boolean } = {},
): string {
  return `${iso(at)}#${delayed ? DELAYED : ''}${String(before).padStart(NUMBER_DIGITS, '0')}`;
}

/** Sort key of a place: by instant, then number, then id. */
export const placeSortKey = ({ groupPlace, id }: Pick<Job, 'groupPlace' | 'id'>): string => `${PLACE}${groupPlace}#${id}`;

/** Key of the row of a job's place; undefined for a job whose group has no order. */
export function placeKey(job: Placed): RowKey | undefined {
  if (job.group === undefined || job.groupPlace === undefined) return undefined;
  return { pk: placesPartition(groupHash(job.group)), sk: placeSortKey(job) };
}

/** Takes the job's place, or takes it again. Nothing for a job whose group has no order. */
export function takePlaceWrites(job: Placed): Write[] {
  const key = placeKey(job);
  return key === undefined ? [] : [{ op: 'put', table: 'control', row: { ...key, jobId: job.id, group: job.group ?? '' } }];
}

/** Leaves the job's place: those behind it go on. */
export function leavePlaceWrites(job: Placed): Write[] {
  const key = placeKey(job);
  return key === undefined ? [] : [{ op: 'delete', table: 'control', key }];
}

/** The same for a row as it is stored, which may be unreadable. */
export function leavePlaceOf({ id, group, groupPlace }: Row): Write[] {
  return typeof group === 'string' && typeof groupPlace === 'string' ? leavePlaceWrites({ id: String(id), group, groupPlace }) : [];
}

/** Moves a job that is due at another time to its other place, in the transaction that changes it. */
export function movePlaceWrites(from: Placed, to: Placed): Write[] {
  return from.groupPlace === to.groupPlace ? [] : [...leavePlaceWrites(from), ...takePlaceWrites(to)];
}

/** The job, which is due at another time now. One that never started takes the place of that time. */
export function placedAgain<Kind extends Job>(job: Kind, now: number): Kind {
  if (job.groupPlace === undefined || job.starts > 0) return job;
  return { ...job, groupPlace: placeText(job.dueAt, { delayed: job.dueAt > now }) };
}

/**
 * Gives jobs that are due when they are enqueued a place behind all such jobs that were enqueued before them, even if the clocks of the two
 * producers differ by as much as is assumed. One that is due later stands by its time, behind others of the same instant. One read for each job with a place; none for
 * any other.
 */
export async function placeInOrder<Fresh extends { readonly job: Job }>(
  tables: Tables,
  fresh: readonly Fresh[],
): Promise<readonly Fresh[]> {
  const placed: Fresh[] = [];
  // Those that are created together are not in the store yet.
  const together = new Map<string, string>();
  for (const one of fresh) {
    const partition = placeKey(one.job)?.['pk'];
    if (partition === undefined) placed.push(one);
    else {
      const own = placeOf(one.job.groupPlace ?? '');
      const kin = `${partition}${own.delayed ? own.at : ''}`;
      const stored = await lastBefore(tables, partition, own);
      const before = [stored, together.get(kin)]
        .filter((place) => place !== undefined)
        .toSorted()
        .at(-1);
      const groupPlace = behind(before, own);
      together.set(kin, groupPlace);
      placed.push({ ...one, job: { ...one.job, groupPlace } });
    }
  }
  return placed;
}

interface Place {
  readonly at: number;
  readonly before: number;
  readonly delayed: boolean;
}

function placeOf(text: string): Place {
  const [at = '', number = ''] = text.split('#');
  const delayed = number.startsWith(DELAYED);
  return { at: Date.parse(at), before: Number(delayed ? number.slice(DELAYED.length) : number), delayed };
}

/** The place right behind another one, or the own one if that is later. */
function behind(other: string | undefined, own: Place): string {
  const text = placeText(own.at, own);
  if (other === undefined || other < text) return text;
  const { at, before } = placeOf(other);
  return placeText(at, { before: before + 1, delayed: own.delayed });
}

const PAGE = 10;

/** The last place of a job that was due when it was enqueued, or, for one that was not, the last of its instant. */
async function lastBefore(tables: Tables, partition: string, { at, delayed }: Place): Promise<string | undefined> {
  const from = `${PLACE}${iso(at)}#${delayed ? DELAYED : ''}`;
  // A producer whose clock is ahead placed its job ahead, too.
  const through = `${PLACE}${iso(delayed ? at : at + 2 * MAX_CLOCK_SKEW_MS)}#~`;
  let after: RowKey | undefined;
  do {
    const look = { table: 'control', partition, from, through, limit: PAGE, newestFirst: true, consistent: true } as const;
    const page = await tables.query({ ...look, ...defined({ after }) });
    const found = page.rows.map(placeOfRow).find((place) => placeOf(place).delayed === delayed);
    if (found !== undefined) return found;
    after = page.cursor;
  } while (after !== undefined);
  return undefined;
}

/** The place that a row holds. */
function placeOfRow(row: Row): string {
  return String(row['sk']).slice(PLACE.length).split('#').slice(0, 2).join('#');
}

/** Whether the job's place is there: it holds back those behind it, now or when its turn comes. */
export async function hasPlace(tables: Tables, job: Placed): Promise<boolean> {
  const key = placeKey(job);
  return key !== undefined && (await tables.get('control', key)) !== undefined;
}

const PREFIX = 'group.';

/** Under what the jobs of a group wait that have to let others go first: in the place of the hash of a limit. */
export const waitingHash = (groupHash: string): string => `${PREFIX}${groupHash}`;

/** The group of such a hash; undefined for a limit. */
export const groupOfWaiting = (hash: string): string | undefined => (hash.startsWith(PREFIX) ? hash.slice(PREFIX.length) : undefined);
