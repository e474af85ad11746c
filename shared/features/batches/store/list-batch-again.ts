import { iso, storedInstant } from '../../../job/instant.ts';
import type { Tables } from '../../../ports/tables.ts';
import { batchListKey } from './batch-rows.ts';

/** Minimum time before a batch is listed again: many of its children may come back at once. */
const FRESH_MS = 20_000;
/** Minimum time on the list: a child that found the batch there is back by then, so a later check sees it. */
export const LISTED_MS = 60_000;

/**
 * Lists a batch ahead of a child that comes back, because it may have been finished and off the list. Not in the child's own
 * transaction: they would all conflict on one row. `token` changes the row, so that a concurrent removal from the list fails.
 */
export async function listBatchAgain(tables: Tables, batch: string, token: string, now: number): Promise<void> {
  const key = batchListKey(batch);
  const listedAt = storedInstant((await tables.get('control', key))?.['revivedAt']);
  if (listedAt !== undefined && listedAt <= now && now - listedAt < FRESH_MS) return;
  await tables.write({ op: 'update', table: 'control', key, set: { revived: token, revivedAt: iso(now) } });
}
