import type { LockOwner } from '../core/lock-owner.ts';
import type { RowKey, Tables } from '../ports/tables.ts';
import { heldBy, lockFree } from './conditions.ts';
import { lockRow } from './control-rows.ts';

/** A lock that was taken, or until when somebody else holds it. */
export type LockTaken = { readonly taken: true } | { readonly taken: false; readonly until: number };

/**
 * Takes a lock row if it is absent, expired or mine already (forced takeover, as Flowable's `forceAcquireAfter`, but with the
 * owner's own expiry). One write. A lost reply is recognised by the owner.
 */
export async function takeLock(
  tables: Tables,
  key: RowKey,
  owner: LockOwner,
  times: { now: number; expiresAt: number },
): Promise<LockTaken> {
  const outcome = await tables.write({
    op: 'put',
    table: 'control',
    row: lockRow(key, owner, times.expiresAt),
    condition: lockFree(owner, times.now),
  });
  if (outcome.applied || outcome.row?.['lockOwner'] === owner) return { taken: true };
  const until = Date.parse(String(outcome.row?.['lockExpiresAt']));
  return { taken: false, until: Number.isFinite(until) ? until : times.now + 60_000 };
}

/** Gives a lock back; somebody else's lock is left alone. One write. */
export async function releaseLock(tables: Tables, key: RowKey, owner: LockOwner): Promise<void> {
  await tables.write({ op: 'delete', table: 'control', key, condition: heldBy(owner) });
}
