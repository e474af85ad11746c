import { isDeepStrictEqual } from 'node:util';
import { createMemoryTables, type MemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { keyOf, TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type {
  Page,
  Query,
  Row,
  RowKey,
  Scan,
  SingleWrite,
  TableName,
  TransactOutcome,
  Write,
  WriteOutcome,
} from '../../../../shared/ports/tables.ts';
import type { Call } from './named-calls.ts';
import type { SimProcess } from './sim-process.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One row before and after a write; an absent side means that there was no row, or is none any more. */
export interface Change {
  readonly table: TableName;
  readonly key: RowKey;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** What one write or transaction changed, at one instant. `changes` is never empty. */
export interface Mutation {
  readonly by: SimProcess;
  readonly at: number;
  /** The verb of a client or an operator whose request it was. */
  readonly call?: Call | undefined;
  readonly changes: readonly Change[];
}

/** The one store of a simulated world. Every write that changes something is shown to the watchers, whole, right after it. */
export class ObservedStore {
  readonly tables: MemoryTables;
  operations = 0;
  writes = 0;
  readonly #time: VirtualTime;
  readonly #trace: Trace;
  /** Shown each single write that its condition refused, with the row that it met. */
  onRefused: (by: SimProcess, write: SingleWrite, row: Row) => void = () => {};
  /** Answers queries of indexes instead of the table that they belong to. */
  indexes: { query(query: Query & { readonly index: string }): Promise<Page> } | undefined;
  readonly #watchers: ((mutation: Mutation) => void)[] = [];

  constructor(time: VirtualTime, trace: Trace) {
    this.#time = time;
    this.#trace = trace;
    this.tables = createMemoryTables({ clock: { now: () => time.now, wait: () => Promise.resolve() } });
  }

  /** True time. */
  get now(): number {
    return this.#time.now;
  }

  watch(watcher: (mutation: Mutation) => void): void {
    this.#watchers.push(watcher);
  }

  async get(table: TableName, key: RowKey): Promise<Row | undefined> {
    this.operations++;
    return this.tables.get(table, key);
  }

  async query(query: Query): Promise<Page> {
    this.operations++;
    const { index } = query;
    return index === undefined || this.indexes === undefined ? this.tables.query(query) : this.indexes.query({ ...query, index });
  }

  async scan(scan: Scan): Promise<Page> {
    this.operations++;
    return this.tables.scan(scan);
  }

  async write(by: SimProcess, write: SingleWrite, call?: Call): Promise<WriteOutcome> {
    const before = await this.#rows([write]);
    const outcome = await this.tables.write(write);
    if (!outcome.applied && outcome.row !== undefined) this.onRefused(by, write, outcome.row);
    await this.#show({ by, call }, [write], before, outcome.applied);
    return outcome;
  }

  async transact(by: SimProcess, writes: readonly Write[], token: string, call?: Call): Promise<TransactOutcome> {
    const before = await this.#rows(writes);
    const outcome = await this.tables.transact(writes, token);
    await this.#show({ by, call }, writes, before, outcome.applied);
    return outcome;
  }

  async putAll(by: SimProcess, table: TableName, rows: readonly Row[], call?: Call): Promise<readonly Row[]> {
    const writes = rows.map((row): Write => ({ op: 'put', table, row }));
    const before = await this.#rows(writes);
    const left = await this.tables.putAll(table, rows);
    await this.#show({ by, call }, writes, before, true);
    return left;
  }

  async #rows(writes: readonly Write[]): Promise<readonly (Row | undefined)[]> {
    return Promise.all(writes.map((write) => this.tables.get(write.table, keyOfWrite(write))));
  }

  async #show(
    { by, call }: Pick<Mutation, 'by' | 'call'>,
    writes: readonly Write[],
    before: readonly (Row | undefined)[],
    applied: boolean,
  ): Promise<void> {
    this.operations++;
    this.writes++;
    const after = applied ? await this.#rows(writes) : before;
    const changes = writes.flatMap((write, index): Change[] =>
      isDeepStrictEqual(before[index], after[index])
        ? []
        : [{ table: write.table, key: keyOfWrite(write), before: before[index], after: after[index] }],
    );
    const what = writes.map((write) => `${write.op} ${write.table} ${Object.values(keyOfWrite(write)).join('/')}`);
    this.#trace.note(this.#time.now, by.name, `${what.join(', ')}: ${applied ? `${changes.length} changed` : 'refused'}`);
    if (changes.length === 0) return;
    const mutation = { by, call, at: this.#time.now, changes };
    for (const watcher of this.#watchers) watcher(mutation);
  }
}

function keyOfWrite(write: Write): RowKey {
  return write.op === 'put' ? keyOf(TABLE_SPECS[write.table], write.row) : write.key;
}
