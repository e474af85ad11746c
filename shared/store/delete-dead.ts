import type { DeadLetter } from '../core/job.ts';
import type { JobId } from '../core/job-id.ts';
import type { Row, Tables, Write } from '../ports/tables.ts';
import { unchanged } from './conditions.ts';
import { type Located, locate } from './locate.ts';
import { idKey } from './rows.ts';
import { tryTransact } from './transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** What a delete found: `deleted` wrote, `row` is what was there; else the state that the job is in. */
export type DeadDeleted =
  | { readonly outcome: 'deleted'; readonly row: Row }
  | { readonly outcome: Exclude<Located['state'], 'dead'> | 'not-found' };

const MAX_LOOKS = 5;

/**
 * Removes a dead letter for good, in one transaction with what `beside` makes of its row. It works on the row as it lies there, so one
 * that cannot be read goes too. What counted it as failed, its batch, still does. A key for a stated time lasts for it.
 */
export async function deleteDead(
  tables: Tables,
  id: JobId,
  terms: { readonly token: string; readonly tenant?: string },
  beside: (dead: Pick<DeadLetter, 'type' | 'tenant' | 'fingerprint'>) => readonly Write[],
): Promise<DeadDeleted> {
  const attempt = async (look: number): Promise<DeadDeleted | typeof CHANGED> => {
    const row = await tables.get('deadLetters', idKey(id));
    if (row === undefined) {
      const found = await locate(tables, id);
      if (found === undefined || hidden(found.job.tenant, terms.tenant)) return { outcome: 'not-found' };
      return found.state === 'dead' ? CHANGED : { outcome: found.state };
    }
    if (hidden(row['tenant'], terms.tenant)) return { outcome: 'not-found' };
    const remove: Write = { op: 'delete', table: 'deadLetters', key: idKey(id), condition: unchanged('rev', row['rev']) };
    const outcome = await tryTransact(tables, `delete/${id}/${terms.token}/${look}`, { remove, others: beside(told(row)) });
    return outcome.applied ? { outcome: 'deleted', row } : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('delete'));
}

const hidden = (of: unknown, tenant: string | undefined): boolean => tenant !== undefined && of !== tenant;

function told(row: Row): Pick<DeadLetter, 'type' | 'tenant' | 'fingerprint'> {
  const { type, tenant, fingerprint } = row;
  return {
    type: String(type),
    fingerprint: String(fingerprint),
    ...(typeof tenant === 'string' ? { tenant } : {}),
  };
}
