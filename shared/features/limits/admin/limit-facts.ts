import { bookedHashes } from '../../../job/rate-bookings.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import type { Job } from '../../../job/job.ts';
import type { RowKey, Tables } from '../../../ports/tables.ts';
import { limitPartition, listingKey } from '../../../store/parked-rows.ts';
import { readRules } from '../../rules/store/rules.ts';
import { inForce, limitSort } from '../model/operator-limit.ts';
import { readSlots } from '../store/slots.ts';
import { setNumber } from './limit-verbs.ts';

/** Jobs in line that are counted before a parked one. */
const MAX_COUNTED = 1_000;

/** The names of the rates under which a job booked its due time: their slots carry them. */
export async function ratesOf(tables: Tables, job: Job): Promise<readonly string[]> {
  const hashes = [...bookedHashes(job.booked, iso(job.dueAt))].filter((hash) => hash !== '-' && hash !== '');
  const names = hashes.map(async (hash) => {
    const { rows } = await tables.query({ table: 'control', partition: limitPartition(hash), limit: 1 });
    return String(rows[0]?.['limit'] ?? hash);
  });
  return Promise.all(names);
}

/** The limit under which a job is parked, and its place in line. `key` is that of its row in Timers. */
export async function parkedUnder(tables: Tables, hash: string, key: RowKey) {
  const due = String(key['due']);
  const [slots, listing, line, named, { rules }] = await Promise.all([
    readSlots(tables, hash),
    tables.get('control', listingKey(hash)),
    tables.query({ table: 'timers', partition: limitPartition(hash), through: due, limit: MAX_COUNTED }),
    tables.query({ table: 'control', partition: limitPartition(hash), limit: 1 }),
    readRules(tables, true),
  ]);
  const name = String(listing?.['limit'] ?? named.rows[0]?.['limit'] ?? hash);
  const { n, coded } = inForce({ name, n: Number(listing?.['n'] ?? Number.NaN) }, rules.others);
  const row = rules.others.get(limitSort(name));
  return {
    name,
    ...(Number.isNaN(n) ? {} : { n }),
    ...(Number.isNaN(coded) ? {} : { coded }),
    ...(row === undefined ? {} : { set: setNumber(row) }),
    slots,
    before: line.rows.filter((row) => row['due'] !== due).length,
    exact: line.cursor === undefined,
    parkedAt: storedInstant(due.split('#')[0]) ?? 0,
  };
}
