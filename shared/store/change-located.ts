import type { JobId } from '../core/job-id.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { type Located, locate } from './locate.ts';
import { tryTransact } from './transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** What is to be done with a job as it was found: nothing, or writes that demand it as it was found. `answer` is what then holds. */
export interface PlannedChange<Answer> {
  readonly writes: readonly Write[];
  readonly answer: Answer;
}

/** A verb of an operator on one job. `token` is fresh for each call; with a `tenant` the jobs of others are not there. */
export interface LocatedVerb {
  readonly verb: string;
  readonly token: string;
  readonly tenant?: string;
}

const MAX_LOOKS = 5;

/**
 * Finds a job and changes it in one transaction; when it moved in between it is found anew. Undefined when it is nowhere;
 * StoreUnavailableError when it moves all the time.
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
