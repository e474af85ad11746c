import { settleBatch } from '../../shared/features/batches/store/settle-batch.ts';
import type { Batch } from './batch.ts';

/** Looks once at each batch of which a child ended in this invocation. What the store does not let through is the sweeper's. */
export async function settleTouchedBatches(batch: Batch): Promise<void> {
  const { touchedBatches } = batch.deps;
  if (touchedBatches === undefined || touchedBatches.size === 0) return;
  const ids = [...touchedBatches];
  touchedBatches.clear();
  await Promise.all(ids.map((id) => settleBatch(batch.deps, id).catch((error: unknown) => batch.storeFailed(error))));
}
