import { keyOf, TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Row, TableName } from '../../../../shared/ports/tables.ts';
import type { World } from '../world/world.ts';

const MINUTE = 60_000;
const PROMPT_MS = 10 * MINUTE;
const LATE_MS = 48 * 60 * MINUTE;

/**
 * Deletes rows whose time to live is over, some at once and some days later; until then reads return them. "DynamoDB automatically
 * deletes expired items within a few days of their expiration time", and items that "have expired but haven't yet been deleted by TTL
 * still appear in reads" (docs.aws.amazon.com/amazondynamodb/latest/developerguide/howitworks-ttl.html, ttl-expired-items.html).
 */
export function deleteExpired(world: World): void {
  const { plan, store, time } = world;
  store.watch(({ changes }) => {
    for (const { table, after } of changes) {
      const expiresAt = after?.[TABLE_SPECS[table].ttl ?? ''];
      if (after === undefined || typeof expiresAt !== 'number') continue;
      const { entropy } = plan.wide;
      const lateMs = entropy.random() * (entropy.random() < 0.5 ? PROMPT_MS : LATE_MS);
      time.after(expiresAt * 1_000 - time.now + lateMs, () => void expire(world, table, after));
    }
  });
}

/** It is no step of anybody, so nobody who watches the store is shown it. */
async function expire({ plan, store, time, trace, checks }: World, table: TableName, written: Row): Promise<void> {
  const spec = TABLE_SPECS[table];
  const key = keyOf(spec, written);
  const expiresAt = (await store.tables.get(table, key))?.[spec.ttl ?? ''];
  // Written again meanwhile, and to live longer.
  if (typeof expiresAt !== 'number' || expiresAt * 1_000 > time.now) return;
  await store.tables.write({ op: 'delete', table, key });
  checks.leases.groups.delete(key['pk'] ?? '');
  plan.count('ttl');
  trace.note(time.now, 'store', `time to live of ${table} ${Object.values(key).join('/')}`);
}
