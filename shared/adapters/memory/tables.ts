import { defined } from '../../job/defined.ts';
import { StoreRefusedError, StoreUnavailableError } from '../../job/errors.ts';
import { checkOptions } from '../../job/names.ts';
import type { Clock } from '../../ports/clock.ts';
import { batchesOf } from '../../ports/put-batches.ts';
import { keyOf, TABLE_NAMES, TABLE_SPECS } from '../../ports/table-spec.ts';
import type {
  CancelReason,
  Page,
  Query,
  Row,
  Scan,
  SingleWrite,
  TableName,
  Tables,
  TransactOutcome,
  TransactTerms,
  Write,
  WriteOutcome,
  WriteWindow,
} from '../../ports/tables.ts';
import { conditionHolds } from './condition.ts';
import { queryPage, scanPage } from './page.ts';
import { TableRows } from './table-rows.ts';
import { checkExactKey, checkRow, checkTransaction, checkTransactionBytes, checkWrite, refusalOfRows, refused } from './write-checks.ts';

const TOKEN_LIFE_MS = 600_000;
const NO_BESIDE = 'your own items are in tables that are not in memory: give createMemoryTables({ beside }) a function that applies them';

/** The tables in memory, with access to all rows of one. */
export interface MemoryTables extends Tables {
  /** All rows of a table, in the order of their keys. */
  rows(table: TableName): readonly Row[];
}

/**
 * The tables in memory, with DynamoDB's answers: every call acts at once and whole, so concurrent callers race as they would
 * there. Without a clock, write windows never close and transaction tokens never expire.
 */
export function createMemoryTables(options: MemoryOptions = {}): MemoryTables {
  checkOptions(options, ['clock', 'beside'], 'options');
  return new InMemoryTables(options);
}

/** What tables in memory are made of; all of it may be left out. */
export interface MemoryOptions {
  readonly clock?: Clock;
  /**
   * Applies a user's own items together with a transaction, and returns whether their conditions held; it must not
   * change anything if it returns false. Without it such items are refused, because their tables are not in memory.
   */
  readonly beside?: (items: readonly unknown[]) => boolean;
}

class InMemoryTables implements MemoryTables {
  readonly #clock: Clock | undefined;
  readonly #tables = new Map(TABLE_NAMES.map((name) => [name, new TableRows(TABLE_SPECS[name])]));
  readonly #tokens = new Map<string, { readonly writes: string; readonly until: number }>();

  readonly #beside: MemoryOptions['beside'];

  constructor({ clock, beside }: MemoryOptions) {
    this.#clock = clock;
    this.#beside = beside;
  }

  async get(table: TableName, key: Row): Promise<Row | undefined> {
    const rows = this.#table(table);
    checkExactKey('get', rows.spec, key as Record<string, string>);
    return rows.get(key);
  }

  async write(write: SingleWrite, window: WriteWindow = {}): Promise<WriteOutcome> {
    this.#checkWindow(window);
    checkWrite(write);
    const rows = this.#table(write.table);
    const old = rows.get(keyed(write));
    if (!conditionHolds(write.condition, old)) return { applied: false, ...defined({ row: old }), attempts: 1 };
    const changed = after(write, old);
    if (write.op === 'update' && changed !== undefined) checkRow(write.op, rows.spec, changed);
    rows.set(keyed(write), changed);
    const shown = write.op === 'update' ? rows.get(write.key) : write.op === 'delete' && write.quiet !== true ? old : undefined;
    return { applied: true, ...defined({ row: shown }), attempts: 1 };
  }

  async transact(writes: readonly Write[], token: string, terms: TransactTerms = {}): Promise<TransactOutcome> {
    this.#checkWindow(terms);
    const { beside = [] } = terms;
    if (beside.length > 0 && this.#beside === undefined) throw refused('transact', NO_BESIDE);
    checkTransaction(writes);
    if (this.#alreadyApplied(writes, token)) return { applied: true, attempts: 1 };
    const reasons = writes.map((write) => this.#reason(write));
    const changes = writes.map((write) => changeOf(write, this.#old(write)));
    if (reasons.some((reason) => reason.code !== 'none')) {
      // DynamoDB reports these together with failed conditions; they show up again in a retry without those.
      const named = reasons.map((reason, at): CancelReason =>
        changes[at]?.refusal && reason.code === 'none' ? { code: 'conflict' } : reason,
      );
      return { applied: false, reasons: [...named, ...beside.map((): CancelReason => ({ code: 'none' }))], attempts: 1 };
    }
    for (const { refusal } of changes) if (refusal !== undefined) throw refusal;
    checkTransactionBytes(changes.map(({ row }) => row));
    if (beside.length > 0 && this.#beside?.(beside) !== true) {
      const refusedItems = beside.map((): CancelReason => ({ code: 'condition' }));
      return { applied: false, reasons: [...reasons, ...refusedItems], attempts: 1 };
    }
    for (const { write, row } of changes) if (write.op !== 'check') this.#table(write.table).set(keyed(write), row);
    this.#tokens.set(token, { writes: JSON.stringify(writes), until: this.#now() + TOKEN_LIFE_MS });
    return { applied: true, attempts: 1 };
  }

  async putAll(table: TableName, rows: readonly Row[], window: WriteWindow = {}): Promise<readonly Row[]> {
    const target = this.#table(table);
    // One of several with one key is written, or given back: the last.
    const latest = new Map(rows.map((row) => [JSON.stringify(keyOf(target.spec, row)), row]));
    if (this.#isClosed(window)) return [...latest.values()];
    const { batches } = batchesOf([...latest.values()]);
    const refusals = batches.map((batch) => refusalOfRows(target.spec, batch));
    const [first] = refusals;
    if (first !== undefined && !refusals.includes(undefined)) throw first;
    for (const [at, batch] of batches.entries()) if (refusals[at] === undefined) for (const row of batch) target.set(row, row);
    return batches.filter((_, at) => refusals[at] !== undefined).flat();
  }

  async query(query: Query): Promise<Page> {
    return queryPage(this.#table(query.table), query);
  }

  async scan(scan: Scan): Promise<Page> {
    return scanPage(this.#table(scan.table), scan);
  }

  rows(table: TableName): readonly Row[] {
    return [...this.#table(table).segment(0, 1)];
  }

  #table(name: TableName): TableRows {
    const table = this.#tables.get(name);
    if (table === undefined) throw refused('table', `there is no table ${name}`);
    return table;
  }

  #old(write: Write): Row | undefined {
    return this.#table(write.table).get(keyed(write));
  }

  #reason(write: Write): CancelReason {
    const old = this.#old(write);
    if (conditionHolds(write.condition, old)) return { code: 'none' };
    return old === undefined ? { code: 'condition' } : { code: 'condition', row: old };
  }

  #alreadyApplied(writes: readonly Write[], token: string): boolean {
    const known = this.#tokens.get(token);
    if (known === undefined || known.until <= this.#now()) return false;
    if (known.writes !== JSON.stringify(writes)) throw refused('transact', 'the token was used for other writes');
    return true;
  }

  #now(): number {
    return this.#clock?.now() ?? 0;
  }

  #isClosed({ notAfter }: WriteWindow): boolean {
    return this.#clock !== undefined && notAfter !== undefined && this.#clock.now() > notAfter;
  }

  #checkWindow(window: WriteWindow): void {
    if (this.#isClosed(window)) throw new StoreUnavailableError('write', new Error('the write window is closed'));
  }
}

/** The row after a write of a transaction, or why it can never be applied to the row as it is. */
function changeOf(write: Write, old: Row | undefined): { readonly write: Write; readonly row?: Row; readonly refusal?: StoreRefusedError } {
  try {
    const row = after(write, old);
    if (row === undefined) return { write };
    // A put was checked before its condition, and a check leaves its row as it is.
    if (write.op === 'update') checkRow('transact', TABLE_SPECS[write.table], row);
    return { write, row };
  } catch (error) {
    if (error instanceof StoreRefusedError) return { write, refusal: error };
    throw error;
  }
}

function keyed(write: Write): Row {
  return write.op === 'put' ? write.row : write.key;
}

/** The row after a write; `undefined` when there is none. */
function after(write: Write, old: Row | undefined): Row | undefined {
  if (write.op === 'put') return write.row;
  if (write.op !== 'update') return write.op === 'check' ? old : undefined;
  const changed: Record<string, Row[string]> = { ...old, ...write.key, ...write.set };
  for (const name of write.remove ?? []) delete changed[name];
  for (const [name, amount] of Object.entries(write.add ?? {})) {
    const value = changed[name] ?? 0;
    if (typeof value !== 'number') throw refused('update', `attribute ${name} is no number, nothing can be added to it`);
    changed[name] = value + amount;
  }
  return changed;
}
