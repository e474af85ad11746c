import { defined } from '../../../job/defined.ts';
import type { Job } from '../../../job/job.ts';
import type { EncodedPayload } from '../../../job/payload-codec.ts';
import type { Condition, Row, RowKey, Tables, Write } from '../../../ports/tables.ts';
import { all, unchanged } from '../../../store/conditions.ts';
import { decodeJob } from '../../../store/job-codec.ts';
import { tryTransact } from '../../../store/transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from '../../../store/until-unchanged.ts';
import { batchCallbackKey, batchHeadKey, batchListKey, readBatchHead } from './batch-rows.ts';

const MAX_LOOKS = 5;

/** Terms of a change. `token` is fresh for each call; `records` are written with it. `recode` encodes the payload of a callback for the new tenant. */
export interface BatchTenantTerms {
  readonly token: string;
  readonly records: (before: string | undefined) => readonly Write[];
  readonly recode: (job: Job, tenant: string | undefined) => Promise<EncodedPayload>;
}

/**
 * Gives a batch and its callbacks that are not enqueued yet another tenant, or none, in one transaction. Its jobs keep theirs. A callback with a
 * tenant of its own keeps that. False: there is no such batch.
 */
export async function changeBatchTenant(
  tables: Tables,
  id: string,
  tenant: string | undefined,
  { token, records, recode }: BatchTenantTerms,
): Promise<boolean> {
  const attempt = async (look: number): Promise<boolean | typeof CHANGED> => {
    const head = await readBatchHead(tables, id);
    if (head === undefined) return false;
    if (head.tenant === tenant) return true;
    const owned = (key: RowKey, more: Condition): Write => ({ op: 'update', table: 'control', key, ...given(tenant), condition: more });
    const names = head.callbacks.filter((name) => !head.fired.includes(name));
    const callbacks = await Promise.all(names.map(async (name) => tables.get('control', batchCallbackKey(id, name))));
    const moved = await Promise.all(
      callbacks.map(async (row) => (row === undefined ? [] : callbackWrite(row, head.tenant, { tenant, recode }))),
    );
    const listed = await tables.get('control', batchListKey(id));
    const seen = unchanged('tenant', head.tenant);
    const writes = {
      head: owned(batchHeadKey(id), all({ test: 'present', attribute: 'pk' }, seen)),
      // The list has only unfinished batches.
      list: listed && owned(batchListKey(id), { test: 'present', attribute: 'pk' }),
      callbacks: moved.flat(),
      records: records(head.tenant),
    };
    return (await tryTransact(tables, `batch-tenant/${token}/${look}`, writes)).applied ? true : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('changeBatchTenant'));
}

const given = (tenant: string | undefined) => (tenant === undefined ? { set: {}, remove: ['tenant'] } : { set: { tenant } });

/** A callback is kept as JSON of its job's row. */
async function callbackWrite(
  row: Row,
  before: string | undefined,
  { tenant, recode }: Pick<BatchTenantTerms, 'recode'> & { readonly tenant: string | undefined },
): Promise<readonly Write[]> {
  const stored = JSON.parse(String(row['json'])) as Row;
  const { tenant: own, codec, ...job } = stored;
  const key = { pk: String(row['pk']), sk: String(row['sk']) };
  const same = unchanged('json', row['json']);
  // It has a tenant of its own, or the batch had another tenant when it was read, and may have the first one again by now.
  if (own !== before) return [{ op: 'check', table: 'control', key, condition: same }];
  const encoded = codec === undefined ? {} : await recode(decodeJob(stored), tenant);
  const json = JSON.stringify({ ...job, ...encoded, ...defined({ tenant }) });
  return [{ op: 'update', table: 'control', key, set: { json }, condition: same }];
}
