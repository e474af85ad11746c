import { groupHash } from '../../../job/hint.ts';
import type { Job } from '../../../job/job.ts';
import { isJobId, type JobId } from '../../../job/job-id.ts';
import { iso } from '../../../job/instant.ts';
import type { Row, RowKey, Tables } from '../../../ports/tables.ts';
import { any, noRow, unchanged } from '../../../store/conditions.ts';
import { PLACE, placeKey, placesPartition } from '../../../store/group-places.ts';
import { type Located, locateOrUnreadable } from '../../../store/locate.ts';

const DAY_SECONDS = 86_400;
/** A group that starts no job for so long has no holder but its first job. */
const HOLDER_DAYS = 40;

/** The row of the job that started last. It holds its group as long as its place is there. */
const holderKey = (hash: string): RowKey => ({ pk: placesPartition(hash), sk: 'holder' });

/** The job whose turn it is: the one that has started, or the first one. `since`: when it started, if it has. */
export interface TurnHolder {
  readonly id: JobId;
  readonly place: RowKey;
  readonly group: string;
  readonly since?: string;
}

/** The holder's row as it was read, and whose turn it is. */
interface Turn {
  readonly seen: Row | undefined;
  readonly next: TurnHolder | undefined;
}

/** Whose turn it is in a group; undefined if no job of its order is left. One read, two if the job that has started is not the first one. */
export async function turnOf(tables: Tables, hash: string): Promise<Turn> {
  const partition = placesPartition(hash);
  const { rows } = await tables.query({ table: 'control', partition, limit: 2, consistent: true });
  const seen = rows.find(({ sk }) => sk === 'holder');
  const first = rows.find(({ sk }) => String(sk).startsWith(PLACE));
  if (first === undefined) return { seen, next: undefined };
  const since = String(seen?.['since']);
  const startedAt = seen?.['place'];
  if (first['sk'] === startedAt) return { seen, next: { ...holderOf(first), since } };
  // Places before that of a job that has started are those of producers whose clock is behind, and of jobs that an operator released.
  const started =
    typeof startedAt === 'string' && startedAt > String(first['sk'])
      ? await tables.get('control', { pk: partition, sk: startedAt })
      : undefined;
  return { seen, next: started === undefined ? holderOf(first) : { ...holderOf(started), since } };
}

const holderOf = (row: Row): TurnHolder => ({
  id: String(row['jobId']),
  place: { pk: String(row['pk']), sk: String(row['sk']) },
  group: String(row['group']),
});

/** The job whose turn it is, as it was found. */
export interface Holding {
  readonly holder: TurnHolder;
  /** Absent if its row cannot be read. */
  readonly located?: Exclude<Located, { readonly state: 'finished' }>;
}

const LOOKS = 5;

/**
 * The job whose turn it is, wherever it is now. The place of one that is gone is removed: only tables that were restored or changed by hand
 * have such. Up to thirteen reads.
 */
export async function holding(tables: Tables, hash: string): Promise<Holding | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const { next } = await turnOf(tables, hash);
    if (next === undefined) return undefined;
    const located = await locatedHolder(tables, next);
    if (located === 'unreadable') return { holder: next };
    if (located !== undefined) return { holder: next, located };
    await tables.write({ op: 'delete', table: 'control', key: next.place });
  }
  return undefined;
}

async function locatedHolder(tables: Tables, { id, place }: TurnHolder): Promise<Holding['located'] | 'unreadable'> {
  const found = isJobId(id) ? await locateOrUnreadable(tables, id) : undefined;
  if (found === undefined || found === 'unreadable') return found;
  return found.state !== 'finished' && placeKey(found.job)?.['sk'] === place['sk'] ? found : undefined;
}

/**
 * Whether a claimed job may start, because it has started before or none of its group has and it is the first. Costs one read, and one write at
 * its first start, which records it.
 */
export async function takeTurn(tables: Tables, job: Job, now: number): Promise<boolean> {
  const key = placeKey(job);
  if (key === undefined || job.group === undefined) return true;
  const { seen, next } = await turnOf(tables, groupHash(job.group));
  if (next?.id !== job.id) return false;
  const place = String(key['sk']);
  if (seen?.['place'] === place) return true;
  const expiresAt = Math.ceil(now / 1000) + HOLDER_DAYS * DAY_SECONDS;
  const row: Row = { ...holderKey(groupHash(job.group)), jobId: job.id, place, since: iso(now), expiresAt };
  const asSeen = seen === undefined ? noRow('pk') : unchanged('place', seen['place']);
  // After a lost reply it is there already.
  return (await tables.write({ op: 'put', table: 'control', row, condition: any(asSeen, unchanged('place', place)) })).applied;
}
