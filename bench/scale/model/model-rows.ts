import type { TableSpec } from '../../../shared/ports/table-spec.ts';
import type { Page, Query, Row, Scan, TableName } from '../../../shared/ports/tables.ts';
import { conditionHolds } from '../../../shared/adapters/memory/condition.ts';
import { readUnits } from '../../../shared/adapters/memory/row-size.ts';
import { itemName } from './item-locks.ts';
import { SortedKeys } from './sorted-keys.ts';
import { SortedRows, type Stored } from './sorted-rows.ts';

const MAX_PAGE_BYTES = 1024 * 1024;

/** No scenario reads this table, and it would hold one row per job: rows are only counted. */
const UNREAD: TableName = 'history';

/** The rows of one table: by partition where it has a sort key, by scan segment where it has none. */
export class ModelRows {
  readonly spec: TableSpec;
  readonly #partitions = new Map<string, SortedRows>();
  readonly #flat = new Map<string, Stored>();
  #unread = 0;
  #segments: readonly SortedKeys[] = [];

  constructor(spec: TableSpec) {
    this.spec = spec;
  }

  get size(): number {
    if (this.spec.sort === undefined) return this.#flat.size;
    if (this.spec.name === UNREAD) return this.#unread;
    return [...this.#partitions.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The partition key, by which units are counted. */
  partitionOf(key: Row): string {
    return key[this.spec.partition] as string;
  }

  /** A row's name among those of all tables. */
  nameOf(key: Row): string {
    const { name, sort } = this.spec;
    return itemName(name, this.partitionOf(key), sort === undefined ? '' : (key[sort] as string));
  }

  get(key: Row): Stored | undefined {
    const partition = this.partitionOf(key);
    const { sort } = this.spec;
    return sort === undefined ? this.#flat.get(partition) : this.#partitions.get(partition)?.get(key[sort] as string);
  }

  /** Replaces or, with `undefined`, removes a row. */
  set(key: Row, held: Stored | undefined): void {
    if (this.spec.name === UNREAD) return void (this.#unread += held === undefined ? -1 : 1);
    const partition = this.partitionOf(key);
    const { sort } = this.spec;
    if (sort !== undefined) {
      let rows = this.#partitions.get(partition);
      if (rows === undefined) this.#partitions.set(partition, (rows = new SortedRows()));
      rows.set(key[sort] as string, held);
      if (rows.size === 0) this.#partitions.delete(partition);
      return;
    }
    const there = this.#segments.length > 0 && this.#flat.has(partition);
    if (held === undefined) this.#flat.delete(partition);
    else this.#flat.set(partition, held);
    if (this.#segments.length === 0 || there === (held !== undefined)) return;
    if (there) this.#segmentOf(partition).remove();
    else this.#segmentOf(partition).add(partition);
  }

  query({ partition, from = '', through, limit, consistent = false, after }: Query): Page {
    const { name, sort = '' } = this.spec;
    if (name === UNREAD) throw new Error(`The model only counts the rows of ${name}.`);
    const start = after === undefined ? from : (after[sort] as string);
    const source = this.#partitions.get(partition)?.from(start, after !== undefined) ?? [];
    const page = pageOf(source, { limit, consistent, ...(through === undefined ? {} : { through }) }, () => true);
    const { last, ...rest } = page;
    return last === undefined ? rest : { ...rest, cursor: { [this.spec.partition]: partition, [sort]: last } };
  }

  scan({ segment, segments, limit, filter, after }: Scan): Page {
    if (this.#segments.length !== segments) this.#deal(segments);
    const start = after === undefined ? '' : (after[this.spec.partition] as string);
    const source = this.#rowsOf(this.#segments[segment] as SortedKeys, start, after !== undefined);
    const { last, ...rest } = pageOf(source, { limit, consistent: false }, (row) => conditionHolds(filter, row));
    return last === undefined ? rest : { ...rest, cursor: { [this.spec.partition]: last } };
  }

  *#rowsOf(keys: SortedKeys, start: string, behind: boolean): Generator<readonly [string, Stored]> {
    for (const key of keys.from(start, behind)) yield [key, this.#flat.get(key) as Stored];
  }

  #deal(segments: number): void {
    this.#segments = Array.from({ length: segments }, () => new SortedKeys((key) => this.#flat.has(key)));
    for (const partition of this.#flat.keys()) this.#segmentOf(partition).add(partition);
  }

  // An id ends in random bits.
  #segmentOf(partition: string): SortedKeys {
    return this.#segments[Number.parseInt(partition.slice(-6), 16) % this.#segments.length] as SortedKeys;
  }
}

interface Bounds {
  readonly limit: number;
  readonly through?: string;
  readonly consistent: boolean;
}

function pageOf(
  source: Iterable<readonly [string, Stored]>,
  { limit, through, consistent }: Bounds,
  shows: (row: Row) => boolean,
): Omit<Page, 'cursor'> & { readonly last?: string } {
  const rows: Row[] = [];
  let [bytes, scanned] = [0, 0];
  for (const [key, { row, bytes: size }] of source) {
    if (through !== undefined && key > through) break;
    scanned++;
    bytes += size;
    if (shows(row)) rows.push(row);
    if (scanned === limit || bytes >= MAX_PAGE_BYTES) return { rows, scanned, readUnits: readUnits(bytes, consistent), last: key };
  }
  return { rows, scanned, readUnits: readUnits(bytes, consistent) };
}
