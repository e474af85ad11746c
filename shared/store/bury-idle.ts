import type { DeadLetter, Job, JobError } from '../core/job.ts';
import { cutToBytes, LIMITS } from '../core/limits.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { deadLetterOf, keyRelease } from './bury.ts';
import { all, noRow, notRunning, revIs } from './conditions.ts';
import { cancelFences, endingWrites } from './endings.ts';
import { unstarted } from './job-codec.ts';
import { type Located, locate } from './locate.ts';
import { deadLetterRow } from './rows.ts';
import { withoutSuspension } from './suspend.ts';
import { tryTransact } from './transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** What a burial of a job that does not run found: `buried` wrote; else the state that the job is in. */
export type IdleBuried =
  | { readonly outcome: 'buried'; readonly dead: DeadLetter }
  | { readonly outcome: 'running' | 'dead' | 'finished' | 'not-found' };

/** What an operator's burial writes. `token` is fresh for each call; `error` is what the dead letter shows. */
export interface IdleBurial {
  readonly token: string;
  readonly error: JobError;
  /** Jobs of other tenants are not found. */
  readonly tenant?: string;
}

const MAX_LOOKS = 5;

/**
 * Moves a job that does not run to DeadLetters, in one transaction with what `beside` makes of it: its unique key is freed, its batch
 * counts it as failed, and its schedule continues without it. A job that changed meanwhile is located again, so that an edit is
 * kept; StoreUnavailableError when it keeps moving. `first` is where the caller found it.
 */
export async function buryIdle(
  tables: Tables,
  first: Located,
  { token, error, tenant }: IdleBurial,
  beside: (job: Job) => readonly Write[],
): Promise<IdleBuried> {
  const { id } = first.job;
  let [releaseKey, ownId] = [true, false];
  const attempt = async (look: number): Promise<IdleBuried | typeof CHANGED> => {
    const found = look === 0 ? first : await locate(tables, id);
    if (found === undefined || (tenant !== undefined && found.job.tenant !== tenant)) return { outcome: 'not-found' };
    if (found.state === 'running' || found.state === 'dead' || found.state === 'finished') return { outcome: found.state };
    const { table, key, state, job } = found;
    const dead = deadLetterOf(idle(found), { error: withLast(error, job.error), reason: 'buried', fault: error }, ownId);
    const outcome = await tryTransact(tables, `bury/${id}/${token}/${look}`, {
      job: { op: 'delete', table, key, condition: state === 'ready' ? all(notRunning, revIs(job.rev)) : revIs(job.rev) },
      dead: { op: 'put', table: 'deadLetters', row: deadLetterRow(dead), condition: noRow('id') },
      key: releaseKey ? keyRelease(job) : undefined,
      batch: endingWrites(job, 'failed'),
      schedule: state === 'waiting' ? await cancelFences(tables, job, error.at) : [],
      others: beside(job),
    });
    if (outcome.applied) return { outcome: 'buried', dead };
    if (outcome.failed('dead')) ownId = true;
    if (outcome.failed('key')) releaseKey = false;
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
