import { storedInstant } from '../job/instant.ts';
import type { LockOwner } from '../job/lock-owner.ts';
import type { RowKey, Tables } from '../ports/tables.ts';
import { heldBy, lockFree, unchanged } from './conditions.ts';
import { lockRow } from './control-rows.ts';

/** Whether the lock is the caller's, and until when its holder has it, in epoch milliseconds: later than asked for if it was mine for longer. */
export interface LockTaken {
  readonly taken: boolean;
  readonly until: number;
}

/**
 * Takes a lock row if it is absent, expired or mine already (forced takeover, as Flowable's `forceAcquireAfter`, but with the
 * owner's own expiry). One that is mine for longer stays so: an earlier attempt that arrives late shortens nothing. One write; one more
 * for a row that is no lock. A lost reply is recognised by the owner.
 */
export async function takeLock(
  tables: Tables,
  key: RowKey,
  owner: LockOwner,
  times: { now: number; expiresAt: number },
): Promise<LockTaken> {
  const { now, expiresAt } = times;
  const row = lockRow(key, owner, times);
  const outcome = await tables.write({ op: 'put', table: 'control', row, condition: lockFree(owner, times) });
  if (outcome.applied) return { taken: true, until: expiresAt };
  const seen = outcome.row?.['lockExpiresAt'];
  const until = storedInstant(seen);
  if (until !== undefined) return { taken: outcome.row?.['lockOwner'] === owner, until };
  // A lock without an end would be held forever: it is replaced, if it is unchanged.
  const again = await tables.write({ op: 'put', table: 'control', row, condition: unchanged('lockExpiresAt', seen) });
  const taken = again.applied || again.row?.['lockOwner'] === owner;
  return { taken, until: taken ? expiresAt : now + 60_000 };
}

/** Releases a lock; another holder's lock is left alone. One write. */
export async function releaseLock(tables: Tables, key: RowKey, owner: LockOwner): Promise<void> {
  await tables.write({ op: 'delete', table: 'control', key, condition: heldBy(owner) });
}
