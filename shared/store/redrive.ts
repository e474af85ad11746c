import { sha256 } from '../core/hash.ts';
import { type DeadLetter, FRESH_COUNTERS, type Job, type LeasedJob } from '../core/job.ts';
import type { JobId } from '../core/job-id.ts';
import type { Tables } from '../ports/tables.ts';
import { noRow, revIs } from './conditions.ts';
import { putKeyOf } from './create.ts';
import { endingWrites } from './endings.ts';
import { decodeDeadLetter } from './job-codec.ts';
import { type ReadyTerms, readyRow } from './make-ready.ts';
import { idKey, jobRow } from './rows.ts';
import { inTheWay } from './transact-ending.ts';

/**
 * What a redrive found. Only `redriven` wrote; `job` is its new row, for the hint. `key-taken`: another job holds its unique key.
 * `unreadable`: the dead letter holds a row that could not be read. `changed`: somebody else acted on it meanwhile.
 */
export type Redriven =
  | { readonly outcome: 'redriven'; readonly job: LeasedJob }
  | { readonly outcome: 'key-taken' | 'unreadable' | 'changed' | 'not-found' };

/**
 * Makes a dead letter ready again with fresh counters, in one transaction that takes its unique key again or refuses. `rev` and
 * `dispatches` go on, so that an old hint or a zombie is still told from the new run. Twice at once redrives once.
 */
export async function redrive(tables: Tables, id: JobId, terms: ReadyTerms): Promise<Redriven> {
  const row = await tables.get('deadLetters', idKey(id));
  if (row === undefined) return { outcome: 'not-found' };
  const dead = decodeDeadLetter(row);
  if (dead.reason === 'unreadable') return { outcome: 'unreadable' };
  const job = readyRow(freshJob(dead, terms.now), terms);
  const lasting = job.keyExpiresAt === undefined || job.keyExpiresAt > terms.now;
  const putKey = lasting ? putKeyOf(job, terms.now, id) : undefined;
  const outcome = await tables.transact(
    [
      { op: 'delete', table: 'deadLetters', key: idKey(id), condition: revIs(dead.rev) },
      { op: 'put', table: 'jobs', row: jobRow(job), condition: noRow('id') },
      ...(putKey === undefined ? [] : [putKey]),
      ...endingWrites(dead, 'revived'),
    ],
    sha256(`redrive/${id}/${dead.rev}/${terms.token}`),
  );
  if (outcome.applied) return { outcome: 'redriven', job };
  const codes = outcome.reasons.map(({ code }) => code);
  if (codes[0] === 'condition' || codes[1] === 'condition') return { outcome: 'changed' };
  if (codes[2] === 'condition') return { outcome: 'key-taken' };
  throw inTheWay(outcome.reasons);
}

function freshJob(dead: DeadLetter, now: number): Job {
  const { reason: _reason, failedAt: _at, fingerprint: _print, requestId: _request, raw: _raw, cancelRequested: _asked, ...job } = dead;
  return { ...job, ...FRESH_COUNTERS, kind: 'async', dueAt: now };
}
