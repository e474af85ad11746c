import type { JobId } from '../job/job-id.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { type Located, locate } from './locate.ts';
import { tryTransact } from './transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** What is to be done with a job as it was found: nothing, or writes that demand it as it was found. `answer` is what then holds. */
export interface PlannedChange<Answer> {
  readonly writes: readonly Write[];
  readonly answer: Answer;
}

/**
 * Why an operator's verb left a job alone: the state it is in. `occurrence`: it waits for its schedule, which would lose its next
 * occurrence with it. `worker-gone`: the deployment does not have its worker, so nothing would run it.
 */
export type LeftAlone = Located['state'] | 'occurrence' | 'worker-gone' | 'not-found';

/** Leaves a job as it is. */
export const leave = <Answer>(outcome: Answer): PlannedChange<{ readonly outcome: Answer }> => ({ writes: [], answer: { outcome } });

/** A verb of an operator on one job. `token` is fresh for each call; with a `tenant` the jobs of others are not there. */
export interface LocatedVerb {
  readonly verb: string;
  readonly token: string;
  readonly tenant?: string;
}

const MAX_LOOKS = 5;

/**
 * Finds a job and changes it in one transaction. If it moves in between, it is located again. Undefined if there is no such job;
 * StoreUnavailableError if it has moved at each of five looks.
 */
export async function changeLocated<Answer>(
  tables: Tables,
  id: JobId,
  { verb, token, tenant }: LocatedVerb,
  plan: (found: Located) => PlannedChange<Answer> | Promise<PlannedChange<Answer>>,
): Promise<Answer | undefined> {
  const attempt = async (look: number): Promise<Answer | undefined | typeof CHANGED> => {
    const found = await locate(tables, id);
    if (found === undefined || (tenant !== undefined && found.job.tenant !== tenant)) return undefined;
    const { writes, answer } = await plan(found);
    if (writes.length === 0) return answer;
    return (await tryTransact(tables, `${verb}/${id}/${token}/${look}`, { writes })).applied ? answer : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving(verb));
}
