import { countsOf } from '../../../../shared/features/batches/store/batch-rows.ts';
import type { Change } from '../world/observed-store.ts';

/** How a write says that a job ended: by its row of History, and by the counter of its batch. A plain delete says nothing. */
export interface SaidEnd {
  readonly kept: unknown;
  readonly counted: 'completed' | 'cancelled' | undefined;
}

/** What the write that takes this job away says of its end. */
export function saidEnd(id: string, changes: readonly Change[]): SaidEnd {
  const kept = changes.find(({ table, after }) => table === 'history' && after?.['id'] === id)?.after?.['outcome'];
  const grew = (name: 'succeeded' | 'cancelled'): boolean =>
    changes.some(
      ({ table, key, before, after }) =>
        table === 'control' &&
        /^batch\d*#/.test(String(key['pk'])) &&
        (countsOf(after ?? {})[name] ?? 0) > (countsOf(before ?? {})[name] ?? 0),
    );
  return { kept, counted: grew('succeeded') ? 'completed' : grew('cancelled') ? 'cancelled' : undefined };
}

/** Whether both say the same. A batch counts what was skipped or expired as cancelled. */
export function agrees({ kept, counted }: SaidEnd): boolean {
  return kept === undefined || counted === undefined || (kept === 'skipped' || kept === 'expired' ? 'cancelled' : kept) === counted;
}
