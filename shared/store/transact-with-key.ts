import { StoreUnavailableError } from '../core/errors.ts';
import type { JobId } from '../core/job-id.ts';
import type { CancelReason, Row, Tables, Write } from '../ports/tables.ts';
import { keyOfJob } from './conditions.ts';
import { uniqueKeyKey } from './control-rows.ts';

/** A transaction that ends a job. `writes[0]` is the fenced one; `key` is the hash of the unique key that ends with the job. */
export interface Ending {
  readonly id: JobId;
  readonly writes: readonly Write[];
  readonly key: string | undefined;
  readonly token: string;
}

/** Applied; or the fence did not hold, and `row` is what stands there instead. */
export type Ended = { readonly applied: true } | { readonly applied: false; readonly row?: Row };

/**
 * Performs the writes and frees the key with them. A key that belongs to another job by now is left out. Throws
 * StoreUnavailableError when another transaction was in the way: that says nothing about the job.
 */
export async function transactWithKey(tables: Tables, { id, writes, key, token }: Ending): Promise<Ended> {
  const release: Write[] = key === undefined ? [] : [{ op: 'delete', table: 'control', key: uniqueKeyKey(key), condition: keyOfJob(id) }];
  const first = await tables.transact([...writes, ...release], token);
  if (first.applied) return { applied: true };
  const refused = refusal(first.reasons[0]);
  if (refused) return refused;
  if (first.reasons[writes.length]?.code !== 'condition') throw inTheWay(first.reasons);
  const second = await tables.transact(writes, `${token}/without-key`);
  if (second.applied) return { applied: true };
  const refusedNow = refusal(second.reasons[0]);
  if (refusedNow) return refusedNow;
  throw inTheWay(second.reasons);
}

function refusal(fence: CancelReason | undefined): Ended | undefined {
  if (fence?.code !== 'condition') return undefined;
  return { applied: false, ...(fence.row === undefined ? {} : { row: fence.row }) };
}

/** What a cancelled transaction without a failed condition means: somebody else's transaction, so nothing is known. */
export function inTheWay(reasons: readonly CancelReason[]): StoreUnavailableError {
  return new StoreUnavailableError('transaction', new Error(`cancelled: ${reasons.map(({ code }) => code).join(', ')}`));
}
