import { storedInstant } from '../../shared/job/instant.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import { isQueueOwner } from '../../shared/job/lock-owner.ts';
import type { Row, RowKey, TableName, Tables, Write } from '../../shared/ports/tables.ts';
import { noRow, revIs } from '../../shared/store/conditions.ts';
import { movedKey } from '../../shared/store/control-rows.ts';
import { historyKey, idKey, timerKey } from '../../shared/store/rows.ts';

/** The tables that hold jobs which are not finished; of two rows with the same revision the one in the earlier table stays. */
export const JOB_TABLES = ['jobs', 'timers', 'suspended', 'deadLetters'] as const;

/** A table that holds jobs which are not finished. */
export type JobTable = (typeof JOB_TABLES)[number];

/** A row of a job that is not finished. */
export interface Place {
  readonly table: JobTable;
  readonly key: RowKey;
  readonly row: Row;
}

/** Every row of a job that its id or its pointer leads to: five or six consistent reads at once. */
export async function placesOf(
  tables: Tables,
  id: JobId,
): Promise<{ readonly places: readonly Place[]; readonly pointer: Row | undefined }> {
  const at = async (table: JobTable, key: RowKey): Promise<readonly Place[]> => {
    const row = await tables.get(table, key);
    return row === undefined ? [] : [{ table, key, row }];
  };
  const first = timerKey(id);
  const [pointer, ...found] = await Promise.all([
    tables.get('control', movedKey(id)),
    at('jobs', idKey(id)),
    at('timers', first),
    at('suspended', idKey(id)),
    at('deadLetters', idKey(id)),
  ]);
  const target = targetOf(id, pointer);
  const moved = target === undefined || sameKey(target, first) ? [] : await at('timers', target);
  return { places: [...found.flat(), ...moved], pointer };
}

/** Where a pointer leads. */
export function targetOf(id: JobId, pointer: Row | undefined): RowKey | undefined {
  return pointer && { shard: String(pointer['shard'] ?? timerKey(id)['shard']), due: String(pointer['due']) };
}

/** Whether two keys of one table are the same. */
export function sameKey(one: RowKey, other: RowKey): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === value);
}

/** Whether two places are the same. */
export function samePlace(one: Place, other: Place): boolean {
  return one.table === other.table && sameKey(one.key, other.key);
}

/** The revision of a row; undefined for a row that cannot be read, which its own reader quarantines. */
export function revOf({ rev }: Row): number | undefined {
  return Number.isSafeInteger(rev) ? Number(rev) : undefined;
}

/** Below zero when `one` was written after `other`: every write of a job makes its revision greater. */
export function laterFirst(one: Place, other: Place): number {
  return (revOf(other.row) ?? 0) - (revOf(one.row) ?? 0) || JOB_TABLES.indexOf(one.table) - JOB_TABLES.indexOf(other.table);
}

/** Whether an executor may be running the job of this row now. */
export function isRunning({ table, row }: Place, now: number): boolean {
  return table === 'jobs' && !isQueueOwner(String(row['lockOwner'])) && (storedInstant(row['lockExpiresAt']) ?? 0) > now;
}

/** Demands that a row is as it was seen. */
export function unchangedPlace({ table, key, row }: Place): Write {
  return { op: 'check', table, key, condition: revIs(revOf(row) ?? -1) };
}

/** Deletes a row if it is as it was seen. */
export function removePlace({ table, key, row }: Place): Write {
  return { op: 'delete', table, key, condition: revIs(revOf(row) ?? -1) };
}

/** Whether a row is still as it was seen. */
export async function isUnchanged(tables: Tables, { table, key, row }: Place): Promise<boolean> {
  const now = await tables.get(table, key);
  return now !== undefined && now['rev'] === row['rev'];
}

/** Demands that a job is nowhere: not in History and in none of its tables, but for where `skips` says that another write looks. */
export function nowhere(
  id: JobId,
  pointer: Row | undefined,
  skips: (table: TableName, key: RowKey) => boolean = () => false,
): readonly Write[] {
  const first = timerKey(id);
  const target = targetOf(id, pointer);
  const timers = target === undefined || sameKey(target, first) ? [first] : [first, target];
  const places: readonly (readonly [TableName, RowKey, string])[] = [
    ['jobs', idKey(id), 'id'],
    ...timers.map((key) => ['timers', key, 'shard'] as const),
    ['suspended', idKey(id), 'id'],
    ['deadLetters', idKey(id), 'id'],
    ['history', historyKey(id), 'day'],
  ];
  return places
    .filter(([table, key]) => !skips(table, key))
    .map(([table, key, attribute]): Write => ({ op: 'check', table, key, condition: noRow(attribute) }));
}
