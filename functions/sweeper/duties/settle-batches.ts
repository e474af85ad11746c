import type { Page, Row, RowKey } from '../../../shared/ports/tables.ts';
import { mapLimited } from '../../../shared/core/map-limited.ts';
import { errorText } from '../../../shared/core/error-text.ts';
import { storedInstant } from '../../../shared/core/instant.ts';
import { hasEnded } from '../../../shared/features/batches/model/batch-progress.ts';
import { defined } from '../../../shared/core/defined.ts';
import { stillSays } from '../../../shared/store/conditions.ts';
import { batchListKey } from '../../../shared/features/batches/store/batch-rows.ts';
import { LISTED_MS } from '../../../shared/features/batches/store/list-batch-again.ts';
import { settleBatch } from '../../../shared/features/batches/store/settle-batch.ts';
import type { SweeperParts } from '../parts.ts';

/** Batches that one run looks at; the next run goes on behind them. */
const PER_RUN = 100;
const PARALLEL = 8;
const CURSOR: RowKey = { pk: 'sweep-cursor', sk: 'batches' };

/**
 * Looks at batches that are not finished: an executor may have died between the end of a child and the callbacks. Those that are
 * finished, or gone, leave the list. Costs a query for each, and nothing while there are none but the look at the list.
 */
export async function settleBatches(parts: SweeperParts, stopAt: number): Promise<number> {
  const first = await listed(parts, undefined);
  // Few enough to look at all of them each time: nothing is to be remembered.
  if (first.cursor === undefined) return settlePage(parts, first, stopAt);
  const cursor = await parts.tables.get('control', CURSOR);
  const after = typeof cursor?.['after'] === 'string' ? cursor['after'] : undefined;
  const page = after === undefined ? first : await listed(parts, after);
  const count = await settlePage(parts, page, stopAt);
  const next = page.cursor?.['sk'];
  await parts.tables.write({ op: 'put', table: 'control', row: { ...CURSOR, ...defined({ after: next }) } });
  return count;
}

async function listed({ tables }: SweeperParts, after: string | undefined): Promise<Page> {
  const start = after === undefined ? {} : { after: batchListKey(after) };
  return tables.query({ table: 'control', partition: 'batches', limit: PER_RUN, ...start });
}

async function settlePage(parts: SweeperParts, page: Page, stopAt: number): Promise<number> {
  await mapLimited(page.rows, PARALLEL, async (row) => {
    if (parts.clock.now() < stopAt) await settleListed(parts, row);
  });
  return page.rows.length;
}

async function settleListed(parts: SweeperParts, row: Row): Promise<void> {
  const id = String(row['sk']);
  const listedAt = storedInstant(row['revivedAt']) ?? 0;
  const lookedAt = parts.clock.now();
  try {
    const settled = await settleBatch(parts, id);
    if (settled !== undefined && (settled.head.finishedAt === undefined || !hasEnded(settled.counts))) return;
    // Whoever brings a child back may have found it on the list just before this look.
    if (Math.abs(lookedAt - listedAt) < LISTED_MS) return;
    // A child that is redriven meanwhile lists its batch anew.
    const condition = stillSays('revived', row['revived']);
    await parts.tables.write({ op: 'delete', table: 'control', key: batchListKey(id), condition });
  } catch (error) {
    parts.journal.record({ event: 'store-failed', reason: `batch ${id}`, error: errorText(error, parts.clock.now()) });
  }
}
