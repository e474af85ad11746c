import { StoreUnavailableError } from '../core/errors.ts';
import { sha256 } from '../core/hash.ts';
import type { JobId } from '../core/job-id.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { type Located, locate } from './locate.ts';

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
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = await locate(tables, id);
    if (found === undefined || (tenant !== undefined && found.job.tenant !== tenant)) return undefined;
    const { writes, answer } = await plan(found);
    if (writes.length === 0) return answer;
    if ((await tables.transact(writes, sha256(`${verb}/${id}/${token}/${look}`))).applied) return answer;
  }
  throw new StoreUnavailableError(verb, new Error('the job kept moving'));
}
