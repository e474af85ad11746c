import { defined } from '../../../job/defined.ts';
import { storedInstant } from '../../../job/instant.ts';
import type { Tables } from '../../../ports/tables.ts';
import type { Located } from '../../../store/locate.ts';
import { holding } from '../store/turn.ts';

/** For whom a parked job of the group waits: without an id if no job is before it. */
export async function waitsBehind(tables: Tables, hash: string, { job, key }: Located) {
  const first = await holding(tables, hash);
  const parkedAt = storedInstant(String(key['due']).split('#')[0]) ?? 0;
  return { group: String(job.group), parkedAt, ...defined({ id: first?.holder.id, state: first?.located?.state }) };
}
