import type { TableName } from '../../../shared/ports/tables.ts';

/** Items that a transaction holds between its two phases: another transaction or a write that meets one is turned away. */
export class ItemLocks {
  /** How many requests were turned away. */
  conflicts = 0;
  readonly #held = new Set<string>();

  /** Whether one of the items is held; that counts as a conflict. */
  meets(items: readonly string[]): boolean {
    const met = this.#held.size > 0 && items.some((item) => this.#held.has(item));
    if (met) this.conflicts++;
    return met;
  }

  hold(items: readonly string[]): void {
    for (const item of items) this.#held.add(item);
  }

  release(items: readonly string[]): void {
    for (const item of items) this.#held.delete(item);
  }
}

/** An item's name among those of all tables. */
export const itemName = (table: TableName, partition: string, sort = ''): string => `${table}/${partition}/${sort}`;
