import type { IndexSpec, KeySpec, TableSpec } from '../../ports/table-spec.ts';
import { keyOf } from '../../ports/table-spec.ts';
import type { Row, RowKey } from '../../ports/tables.ts';
import { compareTexts } from './condition.ts';

/** The rows of one table, kept by partition in sort-key order. Rows are frozen, so handing them out gives nothing away. */
export class TableRows {
  readonly spec: TableSpec;
  readonly #partitions = new Map<string, Map<string, Row>>();
  readonly #orders = new Map<string, readonly string[]>();
  #partitionOrder: readonly string[] | undefined;

  constructor(spec: TableSpec) {
    this.spec = spec;
  }

  get(key: Row): Row | undefined {
    return this.#partitions.get(partitionOf(this.spec, key))?.get(sortOf(this.spec, key));
  }

  /** Replaces or, with `undefined`, removes the row with this key. */
  set(key: Row, row: Row | undefined): void {
    const partition = partitionOf(this.spec, key);
    const sort = sortOf(this.spec, key);
    const rows = this.#partitions.get(partition) ?? new Map<string, Row>();
    if (rows.has(sort) !== (row !== undefined)) this.#orders.delete(partition);
    if (row === undefined) rows.delete(sort);
    else rows.set(sort, Object.freeze({ ...row }));
    if (this.#partitions.has(partition) === rows.size > 0) return;
    if (rows.size === 0) this.#partitions.delete(partition);
    else this.#partitions.set(partition, rows);
    this.#partitionOrder = undefined;
  }

  /** Rows of one partition, in sort-key order. */
  *partition(partition: string): Generator<Row> {
    const rows = this.#partitions.get(partition);
    if (rows === undefined) return;
    const order = this.#orders.get(partition) ?? [...rows.keys()].toSorted(compareTexts);
    this.#orders.set(partition, order);
    for (const sort of order) yield rows.get(sort) as Row;
  }

  /** Rows of one segment, in the order of their keys, so that a cursor stays good when its own row is gone. */
  *segment(segment: number, segments: number): Generator<Row> {
    this.#partitionOrder ??= [...this.#partitions.keys()].toSorted(compareTexts);
    for (const partition of this.#partitionOrder) {
      if (spread(partition) % segments === segment) yield* this.partition(partition);
    }
  }

  /** Rows of one partition of an index: by its sort key, then by the table's key; rows without its key attributes are not in it. */
  index(index: IndexSpec, partition: string): readonly Row[] {
    const found: Row[] = [];
    for (const rows of this.#partitions.values()) {
      for (const row of rows.values()) {
        if (row[index.partition] === partition && (index.sort === undefined || row[index.sort] !== undefined)) found.push(row);
      }
    }
    return found.toSorted((a, b) => this.compare(a, b, index));
  }

  /** Order of two keys in the table, or in an index of it. */
  compare(a: Row, b: Row, index?: IndexSpec): number {
    return (
      (index === undefined ? 0 : compareTexts(sortOf(index, a), sortOf(index, b))) ||
      compareTexts(partitionOf(this.spec, a), partitionOf(this.spec, b)) ||
      compareTexts(sortOf(this.spec, a), sortOf(this.spec, b))
    );
  }

  /** The start of the page after the one that ended with this row. */
  cursor(row: Row, index?: IndexSpec): RowKey {
    return { ...keyOf(this.spec, row), ...(index === undefined ? {} : keyOf(index, row)) };
  }
}

/** What an index holds of a row: the keys of both and the projected attributes. */
export function projected(row: Row, spec: TableSpec, index: IndexSpec): Row {
  const names = new Set([spec.partition, spec.sort, index.partition, index.sort, ...index.projects]);
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)));
}

function partitionOf(spec: KeySpec, key: Row): string {
  return String(key[spec.partition]);
}

/** The sort key of a row or key; an empty string where the table or index has none. */
export function sortOf(spec: KeySpec, key: Row): string {
  return spec.sort === undefined ? '' : String(key[spec.sort]);
}

// FNV-1a: segments only have to be even and always the same.
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
