import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Page, Query, Row, RowKey, Tables, Write } from '../../../../shared/ports/tables.ts';
import { type Answer, answerOf } from '../answer.ts';
import { rowsInOrder } from '../stores.ts';
import type { Operation } from './operation.ts';
import type { HasWindow } from './windows.ts';

/** Dependencies of an operation other than the tables. */
export interface Stage {
  readonly tables: Tables;
  /** The present of both stores, epoch milliseconds. */
  readonly now: number;
  readonly hasWindow: HasWindow;
  /** The last transaction, for `again`. */
  readonly last: { readonly writes: readonly Write[]; readonly token: string } | undefined;
}

const MAX_PAGES = 1000;

/** Performs one operation on one store. */
export function perform(stage: Stage, operation: Operation): Promise<Answer> {
  const { tables, now, last, hasWindow } = stage;
  const window = (closed: boolean | undefined) => (closed === true ? { notAfter: now - 1 } : { notAfter: now + 60_000 });
  switch (operation.op) {
    case 'get':
      return answerOf(() => tables.get(operation.table, operation.key));
    case 'write':
      return answerOf(() => tables.write(operation.write, isFenced(operation, hasWindow) ? undefined : window(operation.trouble?.closed)));
    case 'transact':
      return answerOf(() => tables.transact(operation.writes, operation.token, window(operation.trouble?.closed)));
    case 'again':
      return answerOf(async () => last && tables.transact(last.writes, last.token));
    case 'putAll':
      return answerOf(() => tables.putAll(operation.table, operation.rows, window(operation.closed)));
    case 'query':
      return answerOf(() => (operation.walk ? walk(tables, operation.query) : firstPage(tables, operation.query)));
    case 'scan':
      return answerOf(() => scanAll(tables, operation));
    case 'scan-nowhere':
      return answerOf(() => tables.scan({ ...operation, limit: 5 }));
  }
}

/** Whether a write goes without a window. */
export function isFenced(operation: Operation, hasWindow: HasWindow): boolean {
  return operation.op === 'write' && operation.trouble?.closed !== true && !hasWindow(operation.write);
}

/** The first page, and what its cursor leads to: whether a page that ends with the range has a cursor is not promised. */
async function firstPage(tables: Tables, query: Query): Promise<unknown> {
  const { rows, cursor } = checked(await tables.query(query), query.limit);
  const hasSort = TABLE_SPECS[query.table].sort !== undefined;
  if (cursor === undefined || !hasSort) return { rows, rest: [] };
  return { rows, rest: await everyPage((after) => tables.query({ ...query, after: cursor, ...after }), query.limit) };
}

/** All pages. Rows of an index with the same sort key come in no certain order, so those are put in one. */
async function walk(tables: Tables, query: Query): Promise<readonly Row[]> {
  const rows = await everyPage((after) => tables.query({ ...query, ...after }), query.limit);
  if (query.index === undefined) return rows;
  const sort = TABLE_SPECS[query.table].indexes[query.index]?.sort ?? '';
  const keys = rows.map((row) => String(row[sort]));
  const inOrder = keys.toSorted();
  if (JSON.stringify(query.newestFirst === true ? inOrder.toReversed() : inOrder) !== JSON.stringify(keys)) {
    throw new TypeError(`the index came in the order ${keys.join()}`);
  }
  return rowsInOrder(query.table, rows);
}

async function scanAll(tables: Tables, { table, segments, limit, filter }: Operation & { readonly op: 'scan' }): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let segment = 0; segment < segments; segment += 1) {
    const scan = { table, segment, segments, limit, ...(filter === undefined ? {} : { filter }) };
    rows.push(...(await everyPage((after) => tables.scan({ ...scan, ...after }), limit)));
  }
  return rowsInOrder(table, rows);
}

async function everyPage(ask: (after: { after?: RowKey }) => Promise<Page>, limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  let page = checked(await ask({}), limit);
  for (let pages = 1; ; pages += 1) {
    rows.push(...page.rows);
    if (page.cursor === undefined) return rows;
    if (pages === MAX_PAGES) throw new TypeError('the pages do not end');
    page = checked(await ask({ after: page.cursor }), limit);
  }
}

function checked(page: Page, limit: number): Page {
  if (page.rows.length > limit) throw new TypeError(`a page of at most ${limit} rows has ${page.rows.length}`);
  return page;
}
