import type { Row, RowKey, Tables } from '../ports/tables.ts';
import { mergePartitions } from './merge-partitions.ts';
import { SCHEDULE_NOTES, SCHEDULE_PARTITIONS } from './schedule-rows.ts';

/** Rows of schedules by name. `after` continues them; absent when there are no more. */
export interface ScheduleRows {
  readonly rows: readonly Row[];
  readonly after?: string;
}

const PAGE = 100;
/** The first row of a partition may be the one that was read last: a page of one would never get beyond it. */
const LEAST_PER_PARTITION = 10;

/** Rows of schedules by name, behind `after`, at most `limit` (default 100); eventually consistent. Half a read unit for each of 16 partitions, and one for every 8 KB. */
export async function listScheduleRows(
  tables: Tables,
  { after, limit = PAGE }: { readonly after?: string; readonly limit?: number } = {},
): Promise<ScheduleRows> {
  const rows: Row[] = [];
  let from = after;
  do {
    const found = await mergePartitions(tables, {
      table: 'control',
      partitions: SCHEDULE_PARTITIONS,
      sort: 'sk',
      perPartition: Math.max(LEAST_PER_PARTITION, Math.ceil((2 * limit) / SCHEDULE_PARTITIONS.length)),
      ...(from === undefined ? {} : { from }),
    });
    const last = from;
    rows.push(...found.rows.filter((row) => row['sk'] !== last));
    from = found.end;
  } while (from !== undefined && rows.length < limit);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page,
    ...(last === undefined || (from === undefined && rows.length === page.length) ? {} : { after: String(last['sk']) }),
  };
}

/** The partitions in which schedules were ever put; eventually consistent. Half a read unit, also where there are none. */
export async function partitionsWithSchedules(tables: Tables): Promise<readonly string[]> {
  const { rows } = await tables.query({ table: 'control', partition: SCHEDULE_NOTES, limit: SCHEDULE_PARTITIONS.length });
  return rows.map((row) => String(row['sk']));
}

/** A page of the schedules of one partition; eventually consistent. */
export async function schedulesOf(tables: Tables, partition: string, after?: RowKey) {
  return tables.query({ table: 'control', partition, limit: 1_000, ...(after === undefined ? {} : { after }) });
}
