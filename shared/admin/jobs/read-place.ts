import { mapLimited } from '../../core/map-limited.ts';
import { keyOf, TABLE_SPECS } from '../../ports/table-spec.ts';
import type { Row, RowKey, Tables } from '../../ports/tables.ts';
import { findRow } from '../../store/find-row.ts';
import { isAttemptRow } from '../../store/attempt-rows.ts';
import type { JobTable } from './match-row.ts';
import { mergedSteps } from './merge-steps.ts';
import type { IdsPlace, Place, ScanPlace } from './plan.ts';

/** A row, and the position behind it. */
export interface ReadRow {
  readonly table: JobTable;
  readonly row: Row;
  readonly at: RowKey;
}

/** Some rows in their order; everything up to `end` was looked at. Absent at the end of the place, or when the step got nowhere. */
export interface ReadStep {
  readonly rows: readonly ReadRow[];
  readonly end?: RowKey;
  readonly readUnits: number;
}

/** Rows to ask for at first. Whoever goes on gets more at a time. */
export interface ReadSize {
  readonly first: number;
}

const MOST_ROWS = 1_000;
const IDS_AT_ONCE = 16;

/** Reads a place from behind a position to its end; whoever has enough stops. */
export function readPlace(tables: Tables, place: Place, after: RowKey | undefined, size: ReadSize): AsyncGenerator<ReadStep> {
  if (place.read === 'merge') return mergedSteps(tables, place, after, size);
  return place.read === 'scan' ? scanSteps(tables, place, after, size) : idSteps(tables, place, after);
}

async function* scanSteps(tables: Tables, place: ScanPlace, after: RowKey | undefined, size: ReadSize): AsyncGenerator<ReadStep> {
  const { table, filter, without = [] } = place;
  let [at, limit] = [after, Math.min(size.first, MOST_ROWS)];
  do {
    const request = { table, segment: 0, segments: 1, limit, ...(filter === undefined ? {} : { filter }) };
    const page = await tables.scan({ ...request, ...(at === undefined ? {} : { after: at }) });
    const fresh = page.rows.filter((row) => !(table === 'history' && (isAttemptRow(row) || without.includes(dayOf(row)))));
    const rows = fresh.map((row) => ({ table, row, at: keyOf(TABLE_SPECS[table], row) }));
    at = page.cursor;
    limit = Math.min(4 * limit, MOST_ROWS);
    yield { rows, ...(at === undefined ? {} : { end: at }), readUnits: page.readUnits };
  } while (at !== undefined);
}

const dayOf = (row: Row): string => String(row['day']).slice(0, 10);

async function* idSteps(tables: Tables, { ids }: IdsPlace, after: RowKey | undefined): AsyncGenerator<ReadStep> {
  let next = after === undefined ? 0 : ids.indexOf(String(after['id'])) + 1;
  while (next < ids.length) {
    const some = ids.slice(next, next + IDS_AT_ONCE);
    let readUnits = 0;
    const found = await mapLimited(some, IDS_AT_ONCE, async (id): Promise<readonly ReadRow[]> => {
      const met = await findRow(tables, id, (units) => (readUnits += units));
      return met === undefined ? [] : [{ table: met.table, row: met.row, at: { id } }];
    });
    next += some.length;
    yield { rows: found.flat(), ...(next < ids.length ? { end: { id: String(some.at(-1)) } } : {}), readUnits };
  }
}
