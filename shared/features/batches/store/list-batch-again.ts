import { iso, storedInstant } from '../../../core/instant.ts';
import type { Tables } from '../../../ports/tables.ts';
import { batchListKey } from './batch-rows.ts';

/** So long a batch that was listed again is not listed anew: many of its children may come back at once. */
const FRESH_MS = 20_000;
/** So long it stays on the list at least: a child that found it there is back by then, and a later look sees it. */
export const LISTED_MS = 60_000;

/**
 * Lists a batch ahead of a child that comes back, because it may have been finished and off the list. Not in the child's own
 * transaction: all of them would fight over one row. `token` makes the row another one than whoever takes it off the list has seen.
 */
export async function listBatchAgain(tables: Tables, batch: string, token: string, now: number): Promise<void> {
  const key = batchListKey(batch);
  const listedAt = storedInstant((await tables.get('control', key))?.['revivedAt']);
  if (listedAt !== undefined && listedAt <= now && now - listedAt < FRESH_MS) return;
  await tables.write({ op: 'update', table: 'control', key, set: { revived: token, revivedAt: iso(now) } });
}
