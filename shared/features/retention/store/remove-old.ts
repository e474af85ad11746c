import type { Row, RowKey, Tables, Write } from '../../../ports/tables.ts';
import { errorGroupKey } from '../../error-groups/store/error-group-rows.ts';
import { all, unchanged } from '../../../store/conditions.ts';
import { leavePlaceOf } from '../../../store/group-places.ts';
import { idKey } from '../../../store/rows.ts';
import { tryTransact } from '../../../store/transact.ts';

/** Whether an operator wrote a note or an owner to an error group, and so works on it. */
export const isNoted = (group: Row | undefined): boolean => group?.['note'] !== undefined || group?.['owner'] !== undefined;

/** The group of a dead letter. */
export const groupOf = (dead: Row): RowKey => errorGroupKey(String(dead['fingerprint']));

/**
 * Removes a dead letter as it was read, in one transaction with its record, unless its error group has a note or an owner by now. False if
 * either has changed since: the dead letter stays, or is another operator's. What counted it as failed, its batch, still does, and a unique key
 * for a stated time lasts for it, as with `delete`. A group that it held back goes on.
 */
export async function removeOld(
  tables: Tables,
  dead: Row,
  { token, records }: { readonly token: string; readonly records: readonly Write[] },
): Promise<boolean> {
  const id = String(dead['id']);
  const outcome = await tryTransact(tables, `retention/${id}/${token}`, {
    dead: {
      op: 'delete',
      table: 'deadLetters',
      key: idKey(id),
      // A quarantined dead letter has no rev.
      condition: all(unchanged('rev', dead['rev']), unchanged('failedAt', dead['failedAt'])),
    },
    place: leavePlaceOf(dead),
    group: {
      op: 'check',
      table: 'control',
      key: groupOf(dead),
      condition: all(unchanged('note', undefined), unchanged('owner', undefined)),
    },
    records,
  });
  return outcome.applied;
}
