import { BatchUnknownError, InvalidInputError, RowUnreadableError } from '../../../job/errors.ts';
import { type BatchProgress, progressOf } from '../model/batch-snapshot.ts';
import { checkOptions, checkText } from '../../../job/names.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import { sumCounts } from '../model/batch-progress.ts';
import { defined } from '../../../job/defined.ts';
import { batchListKey, countsOf, readBatch } from '../store/batch-rows.ts';
import { cancelBatchRow, type Closed, sealBatchRow } from '../store/create-batch.ts';
import { settleBatch } from '../store/settle-batch.ts';
import type { AuditContext } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { batchTenantVerb, type BatchTenantVerb } from './batch-tenant.ts';

/** Unfinished batches, oldest id first; `next` continues after them. */
export interface BatchPage {
  readonly batches: readonly BatchProgress[];
  readonly next?: string;
}

/** What an operator does with batches. */
export interface BatchVerbs extends BatchTenantVerb {
  /**
   * Batches that are not finished, without those that cannot be read: one query, and one for each of them. `limit` is at most 1,000, default
   * 50. An open one that stays open lost its builder.
   */
  batches(options?: { readonly limit?: number; readonly after?: string }): Promise<BatchPage>;
  batch(id: string): Promise<BatchProgress | undefined>;
  /** Seals a batch whose builder is gone: its children are exactly those that were accepted. Throws BatchUnknownError. */
  sealBatch(id: string, context?: AuditContext): Promise<BatchProgress>;
  /** Seals it, and its children end as cancelled when they are received. Throws BatchUnknownError. */
  cancelBatch(id: string, context?: AuditContext): Promise<BatchProgress>;
}

const PARALLEL = 8;
const MOST = 1_000;

/** Creates the verbs for batches. The audit checks the contexts of `sealBatch` and `cancelBatch`. */
export function batchVerbs(deps: OperatorDeps): BatchVerbs {
  const look = async (id: string): Promise<BatchProgress | undefined> => {
    const seen = await readBatch(deps.tables, checkText(id, 'id') ?? '-');
    return seen && progressOf({ head: seen.head, counts: sumCounts(seen.counting.map(countsOf)) });
  };
  const close = async (id: string, closing: Promise<Closed>): Promise<BatchProgress> => {
    const settled = (await closing) === 'not-found' ? undefined : await settleBatch(deps, id);
    if (settled === undefined) throw new BatchUnknownError(id);
    return progressOf(settled);
  };
  return {
    batches: async (options = {}) => {
      checkOptions(options, ['limit', 'after'], 'options');
      const { limit = 50, after } = options;
      if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
        throw new InvalidInputError('limit', limit, `Use a whole number from 1 to ${MOST}.`);
      const start = after === undefined ? {} : { after: batchListKey(after) };
      const page = await deps.tables.query({ table: 'control', partition: 'batches', limit, ...start });
      const batches = await mapLimited(page.rows, PARALLEL, async (row) => readable(look(String(row['sk']))));
      const next = page.cursor?.['sk'];
      return { batches: batches.filter((one) => one !== undefined), ...defined({ next }) };
    },
    batch: look,
    ...batchTenantVerb(deps, look),
    sealBatch: async (id) => close(id, sealBatchRow(deps.tables, checkText(id, 'id') ?? '-', deps.clock.now())),
    cancelBatch: async (id) => close(id, cancelBatchRow(deps.tables, checkText(id, 'id') ?? '-', deps.clock.now())),
  };
}

/** An unreadable batch does not hide the others. */
async function readable(seen: Promise<BatchProgress | undefined>): Promise<BatchProgress | undefined> {
  return seen.catch((error: unknown) => {
    if (error instanceof RowUnreadableError) return undefined;
    throw error;
  });
}
