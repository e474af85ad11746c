import { iso } from '../../../shared/job/instant.ts';
import { isRetentionRow } from '../../../shared/features/retention/store/retention-rows.ts';
import { ACQUIRE, acquireLockKey } from '../../../shared/store/control-rows.ts';
import type { SweeperDeps, SweepNotes } from '../deps.ts';

/** An acquire lock that is expired for this long belongs to an acquirer that died, and nothing has been due in its shard since. */
const DEAD_LOCK_MS = 60_000;

/** Deletes abandoned acquire locks and returns their number. Notes the retention rules, which share a partition with the locks. */
export async function clearDeadLocks({ tables, clock }: SweeperDeps, _stopAt: number, notes: SweepNotes): Promise<number> {
  const locks = await tables.query({ table: 'control', partition: ACQUIRE, limit: 100 });
  // A rule that is missing here may keep what another one removes.
  if (locks.cursor === undefined) notes.retentionRows = locks.rows.filter(isRetentionRow);
  const deadSince = iso(clock.now() - DEAD_LOCK_MS);
  let cleared = 0;
  for (const lock of locks.rows) {
    const expiresAt = lock['lockExpiresAt'];
    if (typeof expiresAt !== 'string' || expiresAt > deadSince) continue;
    const key = acquireLockKey(String(lock['sk']));
    await tables.write({
      op: 'delete',
      table: 'control',
      key,
      condition: { test: 'equals', attribute: 'lockExpiresAt', value: expiresAt },
    });
    cleared++;
  }
  return cleared;
}
