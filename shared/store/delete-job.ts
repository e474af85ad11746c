import type { DeadLetter, Job } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import type { Row, Tables, Write } from '../ports/tables.ts';
import { cancelIdle, type CancelTerms } from './cancel.ts';
import { unchanged } from './conditions.ts';
import { leavePlaceOf } from './group-places.ts';
import { type Located, locate } from './locate.ts';
import { idKey } from './rows.ts';
import { tryTransact } from './transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** What a delete found: `deleted` wrote, `dead` is the row of a dead letter, `job` what was still to run; else the state that the job is in. */
export type Deleted =
  | { readonly outcome: 'deleted'; readonly dead: Row }
  | { readonly outcome: 'deleted'; readonly job: Job }
  | { readonly outcome: Exclude<Located['state'], 'dead'> | 'not-found' };

/** Terms of a delete. */
export interface DeleteTerms extends CancelTerms {
  /** Jobs of other tenants are not found. */
  readonly tenant?: string;
  /** Jobs that wait, are parked, ready or suspended are deleted too. */
  readonly live?: boolean;
}

/** What is known of each job that is deleted. */
export type Deletable = Pick<DeadLetter, 'type' | 'tenant'> & Partial<Pick<DeadLetter, 'fingerprint'>>;

const MAX_LOOKS = 5;

/**
 * Removes a job for good, in one transaction with the writes that the verb derives from it. Of a dead letter it works on the stored row, so one
 * that cannot be read goes too. Its batch still counts it as failed, and a key that is held for a stated time stays taken until then. With `live` a job that
 * does not run ends as cancelled, as by `cancel`. A running one is never touched. If the job moves in between, it is looked for again. One that
 * was there to be ended and is then in no table has finished.
 */
export async function deleteJob(
  tables: Tables,
  id: JobId,
  terms: DeleteTerms,
  beside: (job: Deletable) => readonly Write[],
): Promise<Deleted> {
  let seen = false;
  const attempt = async (look: number): Promise<Deleted | typeof CHANGED> => {
    const token = `delete/${id}/${terms.token}/${look}`;
    const row = await tables.get('deadLetters', idKey(id));
    if (row === undefined) {
      const found = await locate(tables, id);
      if (found === undefined) return { outcome: seen ? 'finished' : 'not-found' };
      if (hidden(found.job.tenant, terms.tenant)) return { outcome: 'not-found' };
      if (found.state === 'dead') return CHANGED;
      if (found.state === 'running' || found.state === 'finished' || terms.live !== true) return { outcome: found.state };
      const { job } = found;
      seen = true;
      return (await cancelIdle(tables, found, terms, { token, beside: beside(job) })) ? { outcome: 'deleted', job } : CHANGED;
    }
    if (hidden(row['tenant'], terms.tenant)) return { outcome: 'not-found' };
    const remove: Write = { op: 'delete', table: 'deadLetters', key: idKey(id), condition: unchanged('rev', row['rev']) };
    const outcome = await tryTransact(tables, token, { remove, place: leavePlaceOf(row), others: beside(deletableOf(row)) });
    return outcome.applied ? { outcome: 'deleted', dead: row } : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('delete'));
}

const hidden = (of: unknown, tenant: string | undefined): boolean => tenant !== undefined && of !== tenant;

function deletableOf(row: Row): Deletable {
  const { type, tenant, fingerprint } = row;
  return {
    type: String(type),
    fingerprint: String(fingerprint),
    ...(typeof tenant === 'string' ? { tenant } : {}),
  };
}
