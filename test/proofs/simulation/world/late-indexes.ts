import { createMemoryTables, type MemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Page, Query, TableName } from '../../../../shared/ports/tables.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import type { Change, ObservedStore } from './observed-store.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Copies of an index that take turns in answering: what one knows already, the other may learn later. */
const COPIES = 2;
const USUAL_LAG_MS = 500;
const MOST_LAG_MS = 60_000;

/** One copy of one index, which hears of each row's changes in order, and of different rows' in any. */
interface Copy {
  readonly rows: MemoryTables;
  /** When the last change of each row arrives. */
  readonly arrives: Map<string, number>;
}

/**
 * Secondary indexes that follow their table on their own: a row of a transaction comes before another, and a later read may know less
 * than an earlier one did. DynamoDB promises no more: "propagated to the global secondary indexes using an eventually consistent model"
 * (docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html).
 */
export class LateIndexes {
  readonly #plan: FaultPlan;
  readonly #time: VirtualTime;
  readonly #copies = new Map<string, readonly Copy[]>();

  constructor(plan: FaultPlan, time: VirtualTime, store: ObservedStore) {
    this.#plan = plan;
    this.#time = time;
    store.watch(({ changes }) => {
      for (const change of changes) for (const index of Object.keys(TABLE_SPECS[change.table].indexes)) this.#follow(change, index);
    });
  }

  /** What an index answers now. */
  query(query: Query & { readonly index: string }): Promise<Page> {
    const copies = this.#copiesOf(query.table, query.index);
    const copy = copies[Math.floor(this.#plan.wide.entropy.random() * copies.length)] as Copy;
    return copy.rows.query(query);
  }

  #follow({ table, key, after }: Change, index: string): void {
    for (const copy of this.#copiesOf(table, index)) {
      const row = JSON.stringify(key);
      const at = Math.max(this.#time.now + this.#lag(), copy.arrives.get(row) ?? 0);
      copy.arrives.set(row, at);
      this.#time.after(at - this.#time.now, () => {
        void copy.rows.write(after === undefined ? { op: 'delete', table, key } : { op: 'put', table, row: after });
      });
    }
  }

  #lag(): number {
    const { wide } = this.#plan;
    const draw = wide.entropy.random();
    return Math.floor(wide.strikes('index-lag', 0.2) ? draw * MOST_LAG_MS : draw * USUAL_LAG_MS);
  }

  #copiesOf(table: TableName, index: string): readonly Copy[] {
    const name = `${table}/${index}`;
    const known = this.#copies.get(name) ?? Array.from({ length: COPIES }, () => ({ rows: createMemoryTables(), arrives: new Map() }));
    this.#copies.set(name, known);
    return known;
  }
}
