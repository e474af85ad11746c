import { defined } from '../job/defined.ts';
import { isOccurrence, type Job, type LeasedJob } from '../job/job.ts';
import { leafOf } from '../job/job-id.ts';
import { laneOfJob, type WorkerLanes } from '../job/lanes.ts';
import type { Tables } from '../ports/tables.ts';
import { keyWrites, type RecodeTerms } from './change-tenant.ts';
import type { PlannedChange } from './change-located.ts';
import { type CodedEdit, edited, editWrites, isQuarantined } from './edit-job.ts';
import type { Located } from './locate.ts';
import { idleJob, type Moved, movedWrites, readyWrites } from './moved-writes.ts';

/**
 * What became of a move. `key-taken`: a job of that type holds the unique key. `occurrence`: it waits for its schedule, which determines type
 * and worker. `unreadable`: a dead letter that holds a damaged row. `unfit`: the schema of that type refuses its payload.
 * `encoded`: its payload is, and cannot be encoded for that type.
 */
export type MoveOutcome = 'moved' | 'encoded' | 'key-taken' | 'occurrence' | 'unreadable' | 'unfit' | 'running' | 'finished';

/** Where a job goes: what is absent stays. */
export interface Destination {
  readonly worker?: string;
  readonly type?: string;
}

/** What a move needs to know of the deployment and the session. */
export interface MoveTerms extends RecodeTerms {
  readonly lanes: (worker: string) => WorkerLanes | undefined;
  /** Whether the payload fits the type, as far as the session knows it. The payload is stored as the type's is. */
  readonly fits: (job: Job) => Promise<boolean>;
}

type Answer = PlannedChange<{ readonly outcome: MoveOutcome; readonly job?: LeasedJob }>;

/** Whether a move resumes a suspended job: what held it was its type, or that its worker could not run it. */
export const resumedByMove = (cause: string): boolean => /^(?:type|no-handler|newer-version|unknown-codec)#/.test(cause);

const leave = (outcome: MoveOutcome): Answer => ({ writes: [], answer: { outcome } });

/**
 * Gives an idle job another worker, another type, or both. A ready job is dispatched again, to the queue of its new worker; its old
 * message becomes stale. One that was suspended because of its type or a missing handler is resumed. Another type takes the unique key along.
 */
export async function planMove(tables: Tables, found: Located, to: Destination, terms: MoveTerms): Promise<Answer> {
  const { state, job } = found;
  if (state === 'running' || state === 'finished') return leave(state);
  if (isQuarantined(found)) return leave('unreadable');
  const { worker = job.worker, type = job.type } = to;
  if (worker === job.worker && type === job.type) return leave('moved');
  if (state === 'waiting' && isOccurrence(job)) return leave('occurrence');
  const place = { worker, type, lane: laneOfJob(job, terms.lanes(worker)) };
  const coded = type === job.type ? {} : await terms.recode(job, edited<Job>(job, place));
  if (coded === 'encoded') return leave('encoded');
  const change = { ...place, ...coded };
  const moved = edited<Job>(job, change);
  if (type !== job.type && !(await terms.fits(moved))) return leave('unfit');
  const keys = await keyWrites(tables, found, moved, terms.now);
  if (keys === 'taken') return leave('key-taken');
  const made = destinationWrites(found, change, terms);
  return { writes: [...made.writes, ...keys], answer: { outcome: 'moved', ...defined({ job: made.ready }) } };
}

type Change = Required<Destination> & Pick<Job, 'lane'> & CodedEdit;

function destinationWrites(found: Exclude<Located, { state: 'finished' }>, change: Change, terms: MoveTerms): Omit<Moved, 'job'> {
  if (found.state === 'ready') return readyWrites(found, edited(idleJob(found), change), terms);
  if (found.state === 'suspended' && resumedByMove(found.job.cause)) return movedWrites(found, edited(idleJob(found), change), terms);
  // The index by type of a dead letter has the type in its key.
  const leaf = found.state === 'dead' ? { typeLeaf: `${change.type}#${leafOf(found.job.id)}` } : {};
  return editWrites(found, { ...change, ...leaf }, terms);
}
