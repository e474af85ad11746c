import { iso } from '../../../job/instant.ts';
import type { JobId } from '../../../job/job-id.ts';
import type { Tables } from '../../../ports/tables.ts';
import { any, noRow } from '../../../store/conditions.ts';
import { scheduleCatchUpKey } from './schedule-rows.ts';

/** The row is only needed while occurrences from before its last catch-up may still come. */
const CATCH_UP_DAYS = 40;

/**
 * Whether a late occurrence is the one that runs for all that could not start until now: the first that asks is, and the row says until when it
 * stands for the others. One write. A write that arrives late sets nothing back, because it stands for times before its own.
 */
export async function takeCatchUp(
  tables: Tables,
  name: string,
  { id, nominalAt }: { readonly id: JobId; readonly nominalAt: number },
  now: number,
): Promise<boolean> {
  const taken = await tables.write({
    op: 'update',
    table: 'control',
    key: scheduleCatchUpKey(name),
    set: { jobId: id, through: iso(now), expiresAt: Math.ceil(now / 1000) + CATCH_UP_DAYS * 86_400 },
    condition: any(noRow('pk'), { test: 'atMost', attribute: 'through', value: iso(nominalAt - 1) }),
  });
  return taken.applied || taken.row?.['jobId'] === id;
}
