import { defined } from '../job/defined.ts';
import type { Query, Row, Tables } from '../ports/tables.ts';

/** One ordered read over partitions that share a sort key. `from` and `through` are both inclusive. */
export interface MergedQuery extends Pick<Query, 'table' | 'from' | 'through' | 'newestFirst' | 'consistent'> {
  readonly partitions: readonly string[];
  /** Name of the sort key. */
  readonly sort: string;
  /** Rows asked of each partition. */
  readonly perPartition: number;
}

/** Rows of all partitions in one order. `end`: the sort key up to which they are complete; absent when nothing is left in any. */
export interface MergedRows {
  readonly rows: readonly Row[];
  readonly end?: string;
}

/**
 * Reads a page of each partition and merges them. A partition that has more could hold rows right after its last one, so what lies
 * behind the nearest such end is left to the next read.
 */
export async function mergePartitions(tables: Tables, query: MergedQuery): Promise<MergedRows> {
  const { partitions, sort, perPartition, newestFirst = false, ...range } = query;
  const pages = await Promise.all(
    partitions.map(async (partition) => tables.query({ ...range, newestFirst, partition, limit: perPartition })),
  );
  const key = (row: Row): string => String(row[sort]);
  const before = (a: string, b: string): boolean => (newestFirst ? a > b : a < b);
  let end: string | undefined;
  for (const { rows, cursor } of pages) {
    const last = cursor?.[sort] ?? (cursor === undefined ? undefined : key(rows.at(-1) ?? {}));
    if (last !== undefined && (end === undefined || before(last, end))) end = last;
  }
  const merged = pages
    .flatMap(({ rows }) => rows)
    .filter((row) => end === undefined || !before(end, key(row)))
    .toSorted((a, b) => (before(key(a), key(b)) ? -1 : 1));
  return { rows: merged, ...defined({ end }) };
}
