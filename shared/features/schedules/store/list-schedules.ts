import { defined } from '../../../job/defined.ts';
import type { Page, Row, Tables } from '../../../ports/tables.ts';
import { mergePartitions } from '../../../store/merge-partitions.ts';
import { SCHEDULE_NOTES, SCHEDULE_PARTITIONS, scheduleLeftOffKey } from './schedule-rows.ts';

/** Rows of schedules by name. `after` continues them; absent when there are no more. */
export interface ScheduleRows {
  readonly rows: readonly Row[];
  readonly after?: string;
}

const PAGE = 100;
/** The first row of a partition may be the one that was read last: a page of one would never get beyond it. */
const MIN_PER_PARTITION = 10;

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
      perPartition: Math.max(MIN_PER_PARTITION, Math.ceil((2 * limit) / SCHEDULE_PARTITIONS.length)),
      ...defined({ from }),
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

/** A place among the schedules: behind this name of this partition. */
export interface SchedulePlace {
  readonly partition: string;
  readonly name: string;
}

/** What is noted of all schedules. */
export interface ScheduleNotes {
  /** The partitions in which schedules were ever put. */
  readonly partitions: readonly string[];
  /** Where a run of the sweeper stopped that could not check all of them; absent if the last run could. */
  readonly leftOff?: SchedulePlace;
}

/** Reads the notes; eventually consistent. Half a read unit, also where there are none. */
export async function readScheduleNotes(tables: Tables): Promise<ScheduleNotes> {
  const { rows } = await tables.query({ table: 'control', partition: SCHEDULE_NOTES, limit: SCHEDULE_PARTITIONS.length + 1 });
  const leftOff = rows.find(({ sk }) => sk === scheduleLeftOffKey['sk']);
  const partitions = rows.filter((row) => row !== leftOff).map((row) => String(row['sk']));
  const { partition, name } = leftOff ?? {};
  return { partitions, ...(typeof partition === 'string' && typeof name === 'string' ? { leftOff: { partition, name } } : {}) };
}

/** Stores where the next run continues, or that it may start anywhere. One write; the later of two wins, so some schedules are checked twice. */
export async function noteLeftOff(tables: Tables, at: SchedulePlace | undefined): Promise<void> {
  if (at === undefined) await tables.write({ op: 'delete', table: 'control', key: scheduleLeftOffKey, quiet: true });
  else await tables.write({ op: 'put', table: 'control', row: { ...scheduleLeftOffKey, ...at } });
}

/** The schedules of a partition, or those behind one name, or those through one. */
export interface ScheduleStretch {
  readonly partition: string;
  readonly after?: string;
  readonly through?: string;
}

/** A page of a stretch, behind the name `after` instead of the stretch's own where that is given; eventually consistent. */
export async function schedulesOf(tables: Tables, stretch: ScheduleStretch, after: string | undefined = stretch.after): Promise<Page> {
  const { partition, through } = stretch;
  return tables.query({
    table: 'control',
    partition,
    limit: 1_000,
    ...(after === undefined ? {} : { after: { pk: partition, sk: after } }),
    ...defined({ through }),
  });
}
