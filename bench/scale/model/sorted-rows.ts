import { rowBytes } from '../../../shared/memory/row-size.ts';
import type { Row } from '../../../shared/ports/tables.ts';

/** A row and its size, which is asked for more often than the row changes. */
export interface Stored {
  readonly row: Row;
  readonly bytes: number;
}

/** The row with its size. */
export const stored = (row: Row): Stored => ({ row, bytes: rowBytes(row) });

/**
 * Rows by a text key that can be read in order. Keys are put in order when somebody reads, and removed ones are passed over until
 * they are the greater part: a million timers are taken from the front of their shards without moving the rest.
 */
export class SortedRows {
  readonly #rows = new Map<string, Stored>();
  #order: string[] = [];
  #fresh: string[] = [];

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): Stored | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: Stored | undefined): void {
    if (row === undefined) return void this.#rows.delete(key);
    if (!this.#rows.has(key)) this.#fresh.push(key);
    this.#rows.set(key, row);
  }

  /** Rows from a key on, or only those behind it. */
  *from(key: string, behind: boolean): Generator<readonly [key: string, row: Stored]> {
    this.#tidy();
    const order = this.#order;
    for (let at = this.#placeOf(key); at < order.length; at++) {
      const one = order[at] as string;
      if (behind && one === key) continue;
      const row = this.#rows.get(one);
      if (row !== undefined) yield [one, row];
    }
  }

  #tidy(): void {
    if (this.#fresh.length > 0) {
      const fresh = this.#fresh.filter((key) => this.#rows.has(key)).toSorted();
      this.#fresh = [];
      this.#order = merged(this.#order, fresh, (key) => this.#rows.has(key));
    } else if (this.#order.length > 64 && this.#order.length > 2 * this.#rows.size) {
      this.#order = this.#order.filter((key) => this.#rows.has(key));
    }
  }

  #placeOf(key: string): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#order[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Two ordered lists as one, without those that are gone and without doubles: a key that was removed may have come back. */
function merged(left: readonly string[], right: readonly string[], lives: (key: string) => boolean): string[] {
  const order: string[] = [];
  let [a, b] = [0, 0];
  while (a < left.length || b < right.length) {
    const takesLeft = b >= right.length || (a < left.length && (left[a] as string) <= (right[b] as string));
    const key = (takesLeft ? left[a++] : right[b++]) as string;
    if (order.at(-1) !== key && lives(key)) order.push(key);
  }
  return order;
}
