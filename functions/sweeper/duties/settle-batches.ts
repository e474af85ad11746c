import type { Page, Row, RowKey } from '../../../shared/ports/tables.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { errorText } from '../../../shared/job/error-text.ts';
import { storedInstant } from '../../../shared/job/instant.ts';
import { hasEnded } from '../../../shared/features/batches/model/batch-progress.ts';
import { defined } from '../../../shared/job/defined.ts';
import { unchanged } from '../../../shared/store/conditions.ts';
import { batchListKey } from '../../../shared/features/batches/store/batch-rows.ts';
import { LISTED_MS } from '../../../shared/features/batches/store/list-batch-again.ts';
import { settleBatch } from '../../../shared/features/batches/store/settle-batch.ts';
import type { SweeperDeps } from '../deps.ts';

/** Batches that one run checks; the next run continues after them. */
const PER_RUN = 100;
const PARALLEL = 8;
const CURSOR: RowKey = { pk: 'sweep-cursor', sk: 'batches' };

/**
 * Checks unfinished batches: an executor may have died between the end of a child and the callbacks. Batches that are
 * finished or gone are removed from the list. Costs a query for each; without batches only the query of the list.
 */
export async function settleBatches(deps: SweeperDeps, stopAt: number): Promise<number> {
  const first = await listed(deps, undefined);
  // Few enough to check all of them each time: no cursor is needed.
  if (first.cursor === undefined) return settlePage(deps, first, stopAt);
  const cursor = await deps.tables.get('control', CURSOR);
  const after = typeof cursor?.['after'] === 'string' ? cursor['after'] : undefined;
  const page = after === undefined ? first : await listed(deps, after);
  const count = await settlePage(deps, page, stopAt);
  const next = count < page.rows.length ? (page.rows[count - 1]?.['sk'] ?? after) : page.cursor?.['sk'];
  await deps.tables.write({ op: 'put', table: 'control', row: { ...CURSOR, ...defined({ after: next }) } });
  return count;
}

async function listed({ tables }: SweeperDeps, after: string | undefined): Promise<Page> {
  const start = after === undefined ? {} : { after: batchListKey(after) };
  return tables.query({ table: 'control', partition: 'batches', limit: PER_RUN, ...start });
}

/** Checks the batches of a page in their order until time runs out. Returns how many. */
async function settlePage(deps: SweeperDeps, page: Page, stopAt: number): Promise<number> {
  let count = 0;
  await mapLimited(page.rows, PARALLEL, async (row) => {
    if (deps.clock.now() >= stopAt) return;
    count++;
    await settleListed(deps, row);
  });
  return count;
}

async function settleListed(deps: SweeperDeps, row: Row): Promise<void> {
  const id = String(row['sk']);
  const listedAt = storedInstant(row['revivedAt']) ?? 0;
  const lookedAt = deps.clock.now();
  try {
    const settled = await settleBatch(deps, id);
    if (settled !== undefined && (settled.head.finishedAt === undefined || !hasEnded(settled.counts))) return;
    // A verb that brings a child back may have found the batch on the list just before this read.
    if (Math.abs(lookedAt - listedAt) < LISTED_MS) return;
    // A child that is redriven before this delete adds its batch to the list again.
    const condition = unchanged('revived', row['revived']);
    await deps.tables.write({ op: 'delete', table: 'control', key: batchListKey(id), condition });
  } catch (error) {
    deps.journal.record({ event: 'store-failed', reason: `batch#${id}`, error: errorText(error, deps.clock.now()) });
  }
}
