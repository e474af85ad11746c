import type { Condition, Row, RowKey, Tables, Write } from '../../../ports/tables.ts';
import { all, unchanged } from '../../../store/conditions.ts';
import { tryTransact } from '../../../store/transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from '../../../store/until-unchanged.ts';
import { batchCallbackKey, batchHeadKey, batchListKey, readBatchHead } from './batch-rows.ts';

const MAX_LOOKS = 5;

/** Terms of a change. `token` is fresh for each call; `records` are written with it. */
export interface BatchTenantTerms {
  readonly token: string;
  readonly records: (before: string | undefined) => readonly Write[];
}

/**
 * Gives a batch and its callbacks that are not enqueued yet another tenant, or none, in one transaction. Its jobs keep theirs. A callback with a
 * tenant of its own keeps that. False: there is no such batch.
 */
export async function changeBatchTenant(
  tables: Tables,
  id: string,
  tenant: string | undefined,
  { token, records }: BatchTenantTerms,
): Promise<boolean> {
  const attempt = async (look: number): Promise<boolean | typeof CHANGED> => {
    const head = await readBatchHead(tables, id);
    if (head === undefined) return false;
    if (head.tenant === tenant) return true;
    const owned = (key: RowKey, more: Condition): Write => ({ op: 'update', table: 'control', key, ...given(tenant), condition: more });
    const names = head.callbacks.filter((name) => !head.fired.includes(name));
    const callbacks = await Promise.all(names.map(async (name) => tables.get('control', batchCallbackKey(id, name))));
    const listed = await tables.get('control', batchListKey(id));
    const seen = unchanged('tenant', head.tenant);
    const writes = {
      head: owned(batchHeadKey(id), all({ test: 'present', attribute: 'pk' }, seen)),
      // The list has only unfinished batches.
      list: listed && owned(batchListKey(id), { test: 'present', attribute: 'pk' }),
      callbacks: callbacks.flatMap((row) => (row === undefined ? [] : callbackWrite(row, head.tenant, tenant))),
      records: records(head.tenant),
    };
    return (await tryTransact(tables, `batch-tenant/${token}/${look}`, writes)).applied ? true : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('changeBatchTenant'));
}

const given = (tenant: string | undefined) => (tenant === undefined ? { set: {}, remove: ['tenant'] } : { set: { tenant } });

/** A callback is kept as JSON of its job's row. */
function callbackWrite(row: Row, before: string | undefined, tenant: string | undefined): readonly Write[] {
  const { tenant: own, ...job } = JSON.parse(String(row['json'])) as Row;
  if (own !== before) return [];
  const json = JSON.stringify(tenant === undefined ? job : { ...job, tenant });
  const key = { pk: String(row['pk']), sk: String(row['sk']) };
  return [{ op: 'update', table: 'control', key, set: { json }, condition: unchanged('json', row['json']) }];
}
