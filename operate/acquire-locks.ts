import { defined } from '../shared/job/defined.ts';
import { storedInstant } from '../shared/job/instant.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { isRetentionRow } from '../shared/features/retention/store/retention-rows.ts';
import type { Row, RowKey, Tables } from '../shared/ports/tables.ts';
import { ACQUIRE } from '../shared/store/control-rows.ts';

/** A shard of Timers that an acquirer is firing, or was when it died. */
export interface AcquireLock {
  readonly shard: string;
  readonly lockOwner: string;
  readonly takenAt?: Date;
  /** Absent if unreadable: then the next acquirer takes the lock. */
  readonly lockExpiresAt?: Date;
  /** Its holder ran out of time: the next tick takes it over, and the sweeper clears it if nothing is due. */
  readonly expired: boolean;
}

/** Acquire locks by shard: one query, at most one row a shard. */
export async function acquireLocks({ tables, clock }: { readonly tables: Tables; readonly clock: Clock }): Promise<readonly AcquireLock[]> {
  const now = clock.now();
  const locks: AcquireLock[] = [];
  let after: RowKey | undefined;
  do {
    const page = await tables.query({ table: 'control', partition: ACQUIRE, limit: 100, ...defined({ after }) });
    for (const row of page.rows.filter(isLock)) {
      const [takenAt, until] = [storedInstant(row['takenAt']), storedInstant(row['lockExpiresAt'])];
      locks.push({
        shard: String(row['sk']),
        lockOwner: String(row['lockOwner']),
        ...(takenAt === undefined ? {} : { takenAt: new Date(takenAt) }),
        ...(until === undefined ? {} : { lockExpiresAt: new Date(until) }),
        expired: until === undefined || until <= now,
      });
    }
    after = page.cursor;
  } while (after !== undefined);
  return locks;
}

/** The others of the partition are rules of retention. */
const isLock = (row: Row): boolean => !isRetentionRow(row);
