import { defined } from '../job/defined.ts';
import { BatchClosedError, IdInUseError, KeyContestedError } from '../job/errors.ts';
import { iso } from '../job/instant.ts';
import type { Job, LeasedJob } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import type { EncodedPayload } from '../job/payload-codec.ts';
import { keyToCancel } from '../job/unique-key.ts';
import type { Condition, Row, SingleWrite, Tables, Write, WriteWindow } from '../ports/tables.ts';
import { any, keyOfJob, noRow } from './conditions.ts';
import { movedKey, uniqueKeyRow } from './control-rows.ts';
import { takePlaceWrites } from './group-places.ts';
import { locate, locateLiving } from './locate.ts';
import type { ConflictTerms } from './replace-holder.ts';
import { historyKey, idKey, jobRow, timerKey, timerRow } from './rows.ts';
import { transact } from './transact.ts';
import { CHANGED, untilUnchanged } from './until-unchanged.ts';

/** A job that is about to be put: ready (it has a lease), or waiting. */
export interface NewJob {
  readonly job: Job | LeasedJob;
  readonly ready: boolean;
  /** The caller gave the id, so it may exist already. */
  readonly ownId: boolean;
  /** Fresh for each call: of two calls with one id, the second finds the job of the first. */
  readonly token: string;
  /** Writes by which a batch counts it, in the same transaction as its put; a check among them decides who may add to the batch. */
  readonly counted?: readonly Write[];
  /** How long after its due time it may start, if its limit is such a time and no instant: it counts anew for a job that becomes due at another time. */
  readonly startWithinMs?: number;
  /** What happens to another job that holds its key; absent: it stays as it is, and this one is not created. */
  readonly conflict?: ConflictTerms;
  /** When its payload is too old to be written: what no row refers to is removed in the end. */
  readonly writeBy?: number;
  /** The payload for the row of another job; absent if the one that was made for this job is good for every row. */
  readonly payloadFor?: (id: JobId) => Promise<EncodedPayload>;
}

/** A put that was accepted, or the job that holds the id or the unique key already. */
export type Created = { readonly created: true } | { readonly created: false; readonly id: JobId };

/** The put of a new job, without any condition: safe for a fresh id, which is unique. */
export function putOf(fresh: NewJob, condition?: Condition): SingleWrite & { readonly op: 'put' } {
  return {
    op: 'put',
    table: fresh.ready ? 'jobs' : 'timers',
    row: fresh.ready ? jobRow(fresh.job as LeasedJob) : timerRow(fresh.job),
    ...defined({ condition }),
  };
}

/** The put of the job's unique key: if it is free, expired, or mine already. */
export function putKeyOf(job: Job, now: number, orphanOf?: JobId): Write | undefined {
  const hash = keyToCancel(job);
  if (hash === undefined) return undefined;
  const free = any(
    noRow('pk'),
    { test: 'atMost', attribute: 'until', value: iso(now) },
    ...(orphanOf === undefined ? [] : [keyOfJob(orphanOf)]),
  );
  return { op: 'put', table: 'control', row: uniqueKeyRow(hash, job.id, job.keyExpiresAt), condition: free };
}

/** What must be absent everywhere before a caller's own id is used: the table of the put itself is checked by the put. */
export function absentElsewhere(fresh: NewJob): Write[] {
  const { id } = fresh.job;
  const check = (
    table: 'jobs' | 'timers' | 'control' | 'suspended' | 'deadLetters' | 'history',
    key: Readonly<Record<string, string>>,
    attribute: string,
  ): Write => ({
    op: 'check',
    table,
    key,
    condition: noRow(attribute),
  });
  return [
    fresh.ready ? check('timers', timerKey(id), 'shard') : check('jobs', idKey(id), 'id'),
    check('control', movedKey(id), 'pk'),
    check('suspended', idKey(id), 'id'),
    check('deadLetters', idKey(id), 'id'),
    check('history', historyKey(id), 'day'),
  ];
}

/** All writes that create a job: its put, its key's, its place's, what an own id must find absent, and how its batch counts it. */
function creation(fresh: NewJob, now: number, orphan?: JobId) {
  return {
    job: putOf(fresh, fresh.ownId ? noRow(fresh.ready ? 'id' : 'shard') : undefined),
    key: putKeyOf(fresh.job, now, orphan),
    place: takePlaceWrites(fresh.job),
    elsewhere: fresh.ownId ? absentElsewhere(fresh) : [],
    counted: fresh.counted,
  };
}

/** The same as a list of writes, for a transaction that creates several jobs. A failed condition means that the job exists already. */
export function creationWrites(fresh: NewJob, now: number, orphan?: JobId): Write[] {
  const { job, key, place, elsewhere, counted = [] } = creation(fresh, now, orphan);
  return [job, ...(key === undefined ? [] : [key]), ...place, ...elsewhere, ...counted];
}

const ROUNDS = 4;

/**
 * enqueue and schedule. A fresh id without a key is one plain put; a key, an own id, a batch or a place in a group make it a transaction. Nothing fences
 * the put, so no attempt starts after `window.notAfter`. Throws KeyContestedError if the owner of the key changes in each of four rounds.
 */
export async function create(tables: Tables, fresh: NewJob, now: number, window: WriteWindow): Promise<Created> {
  const { job, ownId } = fresh;
  if (job.key === undefined && !ownId && fresh.counted === undefined && job.groupPlace === undefined) {
    await tables.write(putOf(fresh), window);
    return { created: true };
  }
  let orphan: JobId | undefined;
  const attempt = async (): Promise<Created | typeof CHANGED> => {
    const outcome = await transact(tables, `create/${job.id}/${fresh.token}/${orphan ?? ''}`, creation(fresh, now, orphan), window);
    if (outcome.applied) return { created: true };
    if (outcome.failed('counted')) throw new BatchClosedError(job.batch ?? '');
    const holder = holderOf(outcome.row('key'));
    if (holder?.id === job.id || (holder === undefined && ownId)) return sameJob(tables, job);
    if (holder !== undefined && (holder.lastsForTime || (await locateLiving(tables, holder.id)) !== undefined))
      return { created: false, id: holder.id };
    // Its job ended or is in no table: a process died between two systems, or a row was removed by hand.
    orphan = holder?.id;
    return CHANGED;
  };
  return untilUnchanged(ROUNDS, attempt, () => {
    throw new KeyContestedError(job.key ?? '');
  });
}

/** Who holds a key. */
export interface KeyHolder {
  readonly id: JobId;
  /** Such a key outlives its job on purpose, so it is never an orphan. */
  readonly lastsForTime: boolean;
}

/** The holder that a key's row names; undefined without a row. */
export function holderOf(row: Row | undefined): KeyHolder | undefined {
  return typeof row?.['jobId'] === 'string' ? { id: row['jobId'], lastsForTime: row['until'] !== undefined } : undefined;
}

/**
 * A caller's own id exists: the same job is an answer, another one an error. Finished and forgotten counts as the same, and so does one whose
 * payload is encoded, because encoding the same payload again may give another text.
 */
async function sameJob(tables: Tables, job: Job): Promise<Created> {
  const found = await locate(tables, job.id);
  if (found === undefined) return { created: false, id: job.id };
  const { payload, codec } = found.job;
  const unknown = payload === undefined || codec !== undefined || job.codec !== undefined;
  const same = found.job.type === job.type && (unknown || payload === job.payload);
  if (!same || found.state === 'dead') throw new IdInUseError(job.id, found.state);
  return { created: false, id: job.id };
}
