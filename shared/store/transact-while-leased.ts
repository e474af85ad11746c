import type { LeasedJob } from '../job/job.ts';
import type { Tables } from '../ports/tables.ts';
import { type CancelWhy, whyOf } from './cancel-why.ts';
import { decodeLeasedJob } from './job-codec.ts';
import { idKey } from './rows.ts';
import { type NamedWrites, type Refused, tryTransact } from './transact.ts';
import { CHANGED, untilUnchanged } from './until-unchanged.ts';

/** The fence did not hold: the lease expired and another process is responsible for this job. Nothing was written. */
export interface Lost {
  readonly result: 'lost';
}

/** A cancel was requested: however the run ends, it ends as cancelled. Nothing was written. */
export interface CancelAsked {
  readonly result: 'cancel-asked';
  /** The request, from the row as it was found. */
  readonly why: CancelWhy;
}

const MAX_LOOKS = 4;

/** A verb that moves a job: its writes for the row as last read, of which the one that removes the row is fenced. */
export interface Move<Result> {
  readonly writes: NamedWrites;
  readonly result: Result;
}

/** The writes for the row as last read, or the result if the row rules this move out. */
export type Plan<Result> = Move<Result> | { readonly instead: Result | Lost };

/**
 * Performs a move that demands `lockOwner = me and rev = seen`. When the row was edited since it was read, it is read again and the
 * move planned anew, so that the edit travels along; a cancel request wins; a lost lease ends it. Throws StoreUnavailableError
 * when other transactions stay in the way.
 */
export async function transactWhileLeased<Result>(
  tables: Tables,
  job: LeasedJob,
  plan: (current: LeasedJob) => Plan<Result>,
  learn?: (refused: Refused) => void,
): Promise<Result | Lost | CancelAsked> {
  let current = job;
  let refused: Refused | undefined;
  const attempt = async (): Promise<Result | Lost | CancelAsked | typeof CHANGED> => {
    if (current.cancelRequested === true) return { result: 'cancel-asked', why: whyOf(current) };
    const move = plan(current);
    if ('instead' in move) return move.instead;
    // The token is derived from the writes: they contain the lease and the revision, and two concurrent answers to one attempt may differ.
    const outcome = await tryTransact(tables, JSON.stringify(move.writes), move.writes);
    if (outcome.applied) return move.result;
    const row = await tables.get('jobs', idKey(job.id));
    if (row === undefined || row['lockOwner'] !== job.lockOwner) return { result: 'lost' };
    current = decodeLeasedJob(row);
    refused = outcome;
    learn?.(outcome);
    return CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, () => {
    throw refused?.error();
  });
}
