import type { Row, RowKey } from '../../shared/ports/tables.ts';
import type { JobTable } from './match-row.ts';

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

/** Rows in the first request. Later requests ask for more. */
export interface ReadSize {
  readonly first: number;
}
