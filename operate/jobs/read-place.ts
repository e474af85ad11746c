import { defined } from '../../shared/job/defined.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { keyOf, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, RowKey, Tables } from '../../shared/ports/tables.ts';
import { findRow, unitsOf } from '../../shared/store/find-row.ts';
import { isFinishedRow } from '../../shared/store/rows.ts';
import type { JobTable } from './match-row.ts';
import { mergedSteps } from './merge-steps.ts';
import type { Position } from './page-cursor.ts';
import type { IdsPlace, Place, ScanPlace } from './plan.ts';
import type { ReadRow, ReadSize, ReadStep } from './read-step.ts';

const MAX_ROWS = 1_000;
const IDS_AT_ONCE = 16;

/** Behind which row to begin, or at which; neither: at the first. */
export type ReadStart = Pick<Position, 'after' | 'at'>;

/** Reads a place from a position to its end; the caller may stop early. */
export function readPlace(tables: Tables, place: Place, start: ReadStart, size: ReadSize): AsyncGenerator<ReadStep> {
  if (place.read === 'merge') return mergedSteps(tables, place, start.after, size);
  return place.read === 'scan' ? scanSteps(tables, place, start, size) : idSteps(tables, place, start.after);
}

async function* scanSteps(tables: Tables, place: ScanPlace, start: ReadStart, size: ReadSize): AsyncGenerator<ReadStep> {
  const { table, filter, without = [] } = place;
  const first = start.at === undefined ? undefined : await tables.get(table, start.at);
  let before = first === undefined ? [] : [first];
  let [after, limit, readUnits] = [start.at ?? start.after, Math.min(size.first + 1, MAX_ROWS), first === undefined ? 0 : unitsOf(first)];
  do {
    const request = { table, segment: 0, segments: 1, limit, ...defined({ filter }) };
    const page = await tables.scan({ ...request, ...defined({ after }) });
    const found = [...before, ...page.rows];
    const fresh = found.filter((row) => (table !== 'history' || isFinishedRow(row)) && !without.includes(placeOf(table, row)));
    const rows = fresh.map((row) => ({ table, row, at: keyOf(TABLE_SPECS[table], row) }));
    after = page.cursor;
    yield { rows, ...defined({ end: after }), readUnits: readUnits + page.readUnits };
    [before, readUnits, limit] = [[], 0, Math.min(4 * limit, MAX_ROWS)];
  } while (after !== undefined);
}

/** What was read already under this name: a day of History, a type of the index of dead letters, which an unreadable row is not in. */
function placeOf(table: JobTable, row: Row): string {
  return table === 'history' ? String(row['day']).slice(0, 10) : String(row['typeLeaf'] ?? '').replace(/#[^#]*$/, '');
}

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
