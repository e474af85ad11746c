import type { DeadLetter, Job, JobError } from '../job/job.ts';
import { cutToBytes, LIMITS } from '../job/size-limits.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { deadLetterOf, keyRelease } from './bury.ts';
import { all, noRow, notRunning, revIs } from './conditions.ts';
import { cancelFences, endingWrites } from './endings.ts';
import { unstarted, withoutSuspension } from './job-codec.ts';
import { type Located, locate } from './locate.ts';
import { deadLetterRow } from './rows.ts';
import { tryTransact } from './transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/**
 * What a burial of a job that does not run found: `buried` wrote; else the state that the job is in. `other-type`: it has been moved to another
 * type since, whose deaths are another error group's.
 */
export type IdleBuried =
  | { readonly outcome: 'buried'; readonly dead: DeadLetter }
  | { readonly outcome: 'other-type' }
  | { readonly outcome: 'running' | 'dead' | 'finished' | 'not-found' };

/** What an operator's burial writes. `token` is fresh for each call; `error` is what the dead letter shows. */
export interface IdleBurial {
  readonly token: string;
  readonly error: JobError;
  /** Jobs of other tenants are not found. */
  readonly tenant?: string;
}

/**
 * Why the burial of a job at `rev` was refused although the job was unchanged: another job holds its key, or a dead letter has its id.
 * It holds for this revision only: at another one, the job may have been buried and redriven in between.
 */
interface RefusedBeside {
  readonly rev: number;
  readonly keyTaken: boolean;
  readonly idTaken: boolean;
}

const MAX_LOOKS = 5;

/**
 * Moves a job that does not run to DeadLetters, in one transaction with the writes that follow from it: its unique key is freed, its batch
 * counts it as failed, and its schedule continues without it. A job that has changed since is located again, so that an edit is
 * kept; StoreUnavailableError when it keeps moving. `first` is where the caller found it.
 */
export async function buryIdle(
  tables: Tables,
  first: Located,
  { token, error, tenant }: IdleBurial,
  beside: (job: Job) => readonly Write[],
): Promise<IdleBuried> {
  const { id } = first.job;
  let refused: RefusedBeside | undefined;
  const attempt = async (look: number): Promise<IdleBuried | typeof CHANGED> => {
    const found = look === 0 ? first : await locate(tables, id);
    if (found === undefined || (tenant !== undefined && found.job.tenant !== tenant)) return { outcome: 'not-found' };
    if (found.state === 'running' || found.state === 'dead' || found.state === 'finished') return { outcome: found.state };
    const { table, key, state, job } = found;
    if (job.type !== first.job.type) return { outcome: 'other-type' };
    const { keyTaken, idTaken } = refused?.rev === job.rev ? refused : { keyTaken: false, idTaken: false };
    const dead = deadLetterOf(idle(found), { error: withLast(error, job.error), reason: 'buried', fault: error, attempt: 0 }, idTaken);
    const outcome = await tryTransact(tables, `bury/${id}/${token}/${look}`, {
      job: { op: 'delete', table, key, condition: state === 'ready' ? all(notRunning, revIs(job.rev)) : revIs(job.rev) },
      dead: { op: 'put', table: 'deadLetters', row: deadLetterRow(dead), condition: noRow('id') },
      key: keyTaken ? undefined : keyRelease(job),
      batch: endingWrites(job, 'failed'),
      schedule: state === 'waiting' ? await cancelFences(tables, job, error.at) : [],
      others: beside(job),
    });
    if (outcome.applied) return { outcome: 'buried', dead };
    refused = { rev: job.rev, keyTaken: keyTaken || outcome.failed('key'), idTaken: idTaken || outcome.failed('dead') };
    return CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('bury'));
}

function idle(found: Exclude<Located, { state: 'dead' | 'finished' }>): Job {
  if (found.state === 'suspended') return withoutSuspension(found.job);
  return found.table === 'jobs' ? unstarted(found.job) : found.job;
}

/** Keeps the error of the last attempt below the operator's: without History nothing else has it. */
function withLast(error: JobError, last: JobError | undefined): JobError {
  if (last === undefined) return error;
  return { ...error, stack: cutToBytes(`Caused by: ${last.stack ?? `${last.name}: ${last.message}`}`, LIMITS.errorStackBytes) };
}
