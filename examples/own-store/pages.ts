import type { Pool } from 'pg';
import {
  checkQuery,
  checkScan,
  type Page,
  type Query,
  readUnits,
  type Row,
  type Scan,
  TABLE_SPECS,
} from '../../shared/adapters/own/index.ts';
import { conditionSql, indexKey, keyParts, projectedSql, tableName, Values } from './sql-parts.ts';

const MAX_PAGE_BYTES = 1024 * 1024;

interface PageSql {
  readonly table: Query['table'];
  readonly values: Values;
  readonly where: readonly string[];
  /** Columns that order the rows, the last of them unique. */
  readonly order: readonly string[];
  readonly newestFirst: boolean;
  /** What is shown of a row; null hides it. */
  readonly shown: string;
  /** What is read of it, and counted. */
  readonly bytes: string;
  readonly limit: number;
  readonly consistent: boolean;
  /** Key attributes of the index, which belong into a cursor. */
  readonly indexKeys: readonly string[];
}

/** One page of one partition of a table, or of an index of it. */
export async function queryPage(pool: Pool, query: Query): Promise<Page> {
  const index = checkQuery(query);
  const { table, from, through, after, newestFirst = false } = query;
  const values = new Values();
  const sort = index === undefined ? 'sk' : indexKey(index.sort ?? index.partition);
  const order = index === undefined ? ['sk'] : [sort, 'pk', 'sk'];
  const where = [`${index === undefined ? 'pk' : indexKey(index.partition)} = ${values.text(query.partition)}`, `${sort} IS NOT NULL`];
  if (from !== undefined) where.push(`${sort} >= ${values.text(from)}`);
  if (through !== undefined) where.push(`${sort} <= ${values.text(through)}`);
  if (after !== undefined) {
    const [pk, sk] = keyParts(table, after);
    const place = index === undefined ? [sk] : [String(after[index.sort ?? index.partition]), pk, sk];
    where.push(`(${order.join(', ')}) ${newestFirst ? '<' : '>'} (${place.map((part) => values.text(part)).join(', ')})`);
  }
  const shown = index === undefined ? 'item' : projectedSql(table, index, values);
  const bytes = index === undefined ? 'bytes' : `nightcrew_bytes(${shown})`;
  const indexKeys = index === undefined ? [] : [index.partition, ...(index.sort === undefined ? [] : [index.sort])];
  const { limit, consistent = false } = query;
  return readPage(pool, { table, values, where, order, newestFirst, shown, bytes, limit, consistent, indexKeys });
}

/** One page of one segment of a table, in the order of its keys. */
export async function scanPage(pool: Pool, scan: Scan): Promise<Page> {
  checkScan(scan);
  const { table, segment, segments, after, limit, consistent = false } = scan;
  const values = new Values();
  const where = [`abs(hashtext(pk)::bigint) % ${values.number(segments)} = ${values.number(segment)}`];
  if (after !== undefined) {
    const [pk, sk] = keyParts(table, after).map((part) => values.text(part));
    where.push(`(pk, sk) > (${pk}, ${sk})`);
  }
  const shown = `CASE WHEN ${conditionSql(scan.filter, 'item', values)} THEN item END`;
  const order = ['pk', 'sk'];
  return readPage(pool, { table, values, where, order, newestFirst: false, shown, bytes: 'bytes', limit, consistent, indexKeys: [] });
}

async function readPage(pool: Pool, asked: PageSql): Promise<Page> {
  const order = asked.order.map((column) => `${column} ${asked.newestFirst ? 'DESC' : 'ASC'}`).join(', ');
  const text = `
    SELECT pk, sk, shown, size FROM (
      SELECT pk, sk, shown, size, at, sum(size) OVER (ORDER BY at) AS sum FROM (
        SELECT pk, sk, ${asked.shown} AS shown, ${asked.bytes} AS size, row_number() OVER (ORDER BY ${order}) AS at
        FROM ${tableName(asked.table)} WHERE ${asked.where.join(' AND ')} ORDER BY ${order} LIMIT ${asked.limit}
      ) AS page
    ) AS summed WHERE sum - size < ${MAX_PAGE_BYTES} ORDER BY at`;
  const { rows } = await pool.query<{ pk: string; sk: string; shown: Row | null; size: number }>(text, asked.values.list);
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  const last = rows.at(-1);
  const ended = rows.length < asked.limit && bytes < MAX_PAGE_BYTES;
  return {
    rows: rows.flatMap(({ shown }) => (shown === null ? [] : [shown])),
    ...(last === undefined || ended ? {} : { cursor: cursorOf(asked, last) }),
    readUnits: readUnits(bytes, asked.consistent),
    scanned: rows.length,
  };
}

function cursorOf({ table, indexKeys }: PageSql, { pk, sk, shown }: { pk: string; sk: string; shown: Row | null }): Record<string, string> {
  const { partition, sort } = TABLE_SPECS[table];
  return {
    [partition]: pk,
    ...(sort === undefined ? {} : { [sort]: sk }),
    ...Object.fromEntries(indexKeys.map((name) => [name, String(shown?.[name])])),
  };
}
