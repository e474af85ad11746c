import { defined } from '../job/defined.ts';
import { type DeadLetter, FRESH_COUNTERS, type Job, type LeasedJob } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import { iso } from '../job/instant.ts';
import type { Condition, Tables } from '../ports/tables.ts';
import { all, noRow, revIs, unchanged } from './conditions.ts';
import { movedRow } from './control-rows.ts';
import { putKeyOf } from './create.ts';
import { beforeRedrive, endingWrites } from './endings.ts';
import { edited, leavesEncoded } from './edit-job.ts';
import { decodeDeadLetter } from './job-codec.ts';
import { readyRow, type ResumeTerms } from './ready-row.ts';
import { readQuarantined } from './read-quarantined.ts';
import { idKey, jobRow, timerRow } from './rows.ts';
import { type Refused, tryTransact } from './transact.ts';

/** How a dead letter comes back: due at `dueAt`, which may be past, and with `tries` executions instead of its policy's number. */
export interface RedriveTerms extends ResumeTerms {
  readonly dueAt?: number;
  readonly tries?: number;
  /** Another payload, as JSON text, in the same transaction. */
  readonly payload?: string;
  readonly schemaVersion?: number;
  /** The codec of that payload; named undefined it is JSON, although the one before was encoded. */
  readonly codec?: string | undefined;
  /** The revision that was read: a dead letter with another one is left alone. */
  readonly rev?: number;
  /** The workers of the deployment, of which one has to run it. */
  readonly workers: Pick<ReadonlyMap<string, unknown>, 'has'>;
}

/**
 * What a redrive found. Only `redriven` wrote; `ready` is its new row, for the hint, absent when it waits in Timers. `key-taken`: another job holds its unique key.
 * `unreadable`: the dead letter holds a row that this version cannot read either. `changed`: another process has changed it since. `encoded`: its payload is, and the new one is not meant to be. `worker-gone`: the deployment
 * does not have its worker.
 */
export type Redriven =
  | { readonly outcome: 'redriven'; readonly job: Job; readonly ready?: LeasedJob; readonly fingerprint: string }
  | { readonly outcome: 'key-taken' | 'unreadable' | 'changed' | 'encoded' | 'worker-gone' | 'not-found' };

/** Redrives of one batch's jobs meet each other's transactions, for longer than the store's client tries again. */
const ROUNDS = 3;

/**
 * Makes a dead letter ready or waiting again with its kind and fresh counters, in one transaction that takes its unique key again or refuses. `rev` and
 * `dispatches` continue, so that an old hint or a zombie cannot be taken for the new run. Two concurrent calls redrive once.
 */
export async function redrive(tables: Tables, id: JobId, terms: RedriveTerms): Promise<Redriven> {
  for (let round = 1; ; round++) {
    const found = await redriveOnce(tables, id, terms);
    if (found.outcome !== 'in-the-way') return found;
    if (round === ROUNDS) throw found.refused.error();
  }
}

type OtherInTheWay = { readonly outcome: 'in-the-way'; readonly refused: Refused };

async function redriveOnce(tables: Tables, id: JobId, terms: RedriveTerms): Promise<Redriven | OtherInTheWay> {
  const row = await tables.get('deadLetters', idKey(id));
  if (row === undefined) return { outcome: 'not-found' };
  const dead = decodeDeadLetter(row);
  const seen = dead.reason === 'unreadable' ? readQuarantined(dead, defined({ payload: terms.payload })) : dead;
  if (seen === undefined) return { outcome: 'unreadable' };
  if (terms.rev !== undefined && terms.rev !== dead.rev) return { outcome: 'changed' };
  if (terms.payload !== undefined && leavesEncoded(seen, terms)) return { outcome: 'encoded' };
  if (!terms.workers.has(seen.worker)) return { outcome: 'worker-gone' };
  const fresh = freshJob(seen, terms);
  const later = fresh.dueAt > terms.now + terms.delayHorizonMs;
  const job = later ? { ...fresh, rev: fresh.rev + 1 } : readyRow(fresh, terms);
  const lasting = job.keyExpiresAt === undefined || job.keyExpiresAt > terms.now;
  const putKey = lasting ? putKeyOf(job, terms.now, id) : undefined;
  await beforeRedrive(tables, seen, `${id}/${dead.rev}/${terms.token}`, terms.now);
  const outcome = await tryTransact(tables, `redrive/${id}/${dead.rev}/${terms.token}`, {
    dead: { op: 'delete', table: 'deadLetters', key: idKey(id), condition: unchangedDead(dead) },
    job: later
      ? { op: 'put', table: 'timers', row: timerRow(job), condition: noRow('shard') }
      : { op: 'put', table: 'jobs', row: jobRow(job as LeasedJob), condition: noRow('id') },
    key: putKey,
    pointer: later ? { op: 'put', table: 'control', row: movedRow(id, job.dueAt) } : undefined,
    batch: endingWrites(seen, 'revived'),
  });
  if (outcome.applied) return { outcome: 'redriven', job, fingerprint: dead.fingerprint, ...(later ? {} : { ready: job as LeasedJob }) };
  if (outcome.failed('dead') || outcome.failed('job')) return { outcome: 'changed' };
  if (outcome.failed('key')) return { outcome: 'key-taken' };
  return { outcome: 'in-the-way', refused: outcome };
}

/** That a dead letter is as it was read. The row of a quarantined one has no `rev`; the time at which it was made identifies it. */
export function unchangedDead({ reason, failedAt, rev }: DeadLetter): Condition {
  return reason === 'unreadable' ? all(unchanged('reason', reason), unchanged('failedAt', iso(failedAt))) : revIs(rev);
}

function freshJob(dead: Job & Partial<DeadLetter>, { now, dueAt = now, tries, payload, schemaVersion, codec }: RedriveTerms): Job {
  const { reason: _reason, failedAt: _at, fingerprint: _print, requestId: _request, raw: _raw, ...kept } = dead;
  const { cancelRequested: _asked, triesLimit: _limit, booked: _booked, runNow: _now, startBy: _startBy, ...job } = kept;
  const edit = payload === undefined ? {} : { payload, codec, ...defined({ schemaVersion }) };
  return edited({ ...job, ...FRESH_COUNTERS, dueAt, ...defined({ triesLimit: tries }) }, edit);
}
