import type { IndexSpec } from '../../ports/table-spec.ts';
import type { Page, Query, Row, RowKey, Scan } from '../../ports/tables.ts';
import { compareTexts, conditionHolds } from './condition.ts';
import { checkQuery, checkScan } from './read-checks.ts';
import { readUnits, rowBytes } from './row-size.ts';
import { projected, sortOf, type TableRows } from './table-rows.ts';

const MAX_PAGE_BYTES = 1024 * 1024;

/** One page of a query; like DynamoDB it gives a cursor whenever the limit ended it, even if nothing follows. */
export function queryPage(rows: TableRows, query: Query): Page {
  const index = checkQuery(query);
  return pageOf(inRange(rows, query, index), query, {
    cursor: (row) => rows.cursor(row, index),
    held: (row) => (index === undefined ? row : projected(row, rows.spec, index)),
    shown: (row) => [row],
    consistent: query.consistent === true,
  });
}

/** One page of a segment: the limit counts the rows looked at, the filter thins out what comes back. */
export function scanPage(rows: TableRows, scan: Scan): Page {
  checkScan(scan);
  return pageOf(following(rows, scan), scan, {
    cursor: (row) => rows.cursor(row),
    held: (row) => row,
    shown: (row) => (conditionHolds(scan.filter, row) ? [row] : []),
    consistent: scan.consistent === true,
  });
}

function* following(rows: TableRows, scan: Scan): Generator<Row> {
  for (const row of rows.segment(scan.segment, scan.segments)) {
    if (scan.after === undefined || rows.compare(row, scan.after) > 0) yield row;
  }
}

function* inRange(rows: TableRows, query: Query, index: IndexSpec | undefined): Generator<Row> {
  const ascending = index === undefined ? rows.partition(query.partition) : rows.index(index, query.partition);
  const direction = query.newestFirst ? -1 : 1;
  for (const row of query.newestFirst ? [...ascending].toReversed() : ascending) {
    const sort = sortOf(index ?? rows.spec, row);
    const below = query.from !== undefined && compareTexts(sort, query.from) < 0;
    const above = query.through !== undefined && compareTexts(sort, query.through) > 0;
    if (query.newestFirst ? below : above) return;
    const passed = query.after !== undefined && rows.compare(row, query.after, index) * direction <= 0;
    if (!below && !above && !passed) yield row;
  }
}

interface PageRules {
  readonly cursor: (row: Row) => RowKey;
  /** What is read, and paid for: an index holds only its columns. */
  readonly held: (row: Row) => Row;
  readonly shown: (row: Row) => readonly Row[];
  readonly consistent: boolean;
}

function pageOf(source: Iterable<Row>, { limit }: { readonly limit: number }, rules: PageRules): Page {
  const found: Row[] = [];
  let looked = 0;
  let bytes = 0;
  for (const row of source) {
    looked += 1;
    const held = rules.held(row);
    bytes += rowBytes(held);
    found.push(...rules.shown(held));
    if (looked === limit || bytes >= MAX_PAGE_BYTES) {
      return { rows: found, cursor: rules.cursor(row), readUnits: readUnits(bytes, rules.consistent), scanned: looked };
    }
  }
  return { rows: found, readUnits: readUnits(bytes, rules.consistent), scanned: looked };
}
