import type { Row, TableName } from '../../../../shared/ports/tables.ts';
import type { World } from '../world/world.ts';

/** Writes a row by hand that no version of the code can read. It is no step of its job, but the tracker must not go by what the row was. */
export async function makeUnreadable({ store, checks }: World, table: TableName, row: Row): Promise<void> {
  const unreadable = { ...row, createdAt: 'yesterday' };
  await store.tables.write({ op: 'put', table, row: unreadable });
  checks.tracker.spoiled(unreadable);
}
