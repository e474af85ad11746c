import { rowBytes } from '../../../shared/adapters/memory/row-size.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { SortedKeys } from './sorted-keys.ts';

/** A row and its size, which is asked for more often than the row changes. */
export interface Stored {
  readonly row: Row;
  readonly bytes: number;
}

/** The row with its size. */
export const stored = (row: Row): Stored => ({ row, bytes: rowBytes(row) });

/** Rows by a text key that can be read in order. */
export class SortedRows {
  readonly #rows = new Map<string, Stored>();
  readonly #keys = new SortedKeys((key) => this.#rows.has(key));

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): Stored | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: Stored | undefined): void {
    const there = this.#rows.has(key);
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
    if (there && row === undefined) this.#keys.remove();
    if (!there && row !== undefined) this.#keys.add(key);
  }

  /** Rows from a key on, or only those behind it. */
  *from(key: string, behind: boolean): Generator<readonly [key: string, row: Stored]> {
    for (const one of this.#keys.from(key, behind)) yield [one, this.#rows.get(one) as Stored];
  }
}
