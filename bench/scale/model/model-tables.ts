import { chunks } from '../../../shared/adapters/aws/backoff.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { mapLimited } from '../../../shared/job/map-limited.ts';
import { CONFLICT_BASE_MS, CONFLICT_RETRIES } from '../../../shared/adapters/dynamodb/single-write.ts';
import { conditionHolds } from '../../../shared/adapters/memory/condition.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type {
  CancelReason,
  Page,
  Query,
  Row,
  RowKey,
  Scan,
  SingleWrite,
  TableName,
  Tables,
  TransactOutcome,
  TransactTerms,
  Write,
  WriteOutcome,
  WriteWindow,
} from '../../../shared/ports/tables.ts';
import { DYNAMO } from './aws-limits.ts';
import { after } from './row-after.ts';
import { ItemLocks } from './item-locks.ts';
import type { Latencies, Latency } from './latency.ts';
import { ModelRows } from './model-rows.ts';
import { stored, type Stored } from './sorted-rows.ts';
import { type StartThroughput, TableCapacity } from './table-capacity.ts';
import type { ModelTime } from './model-time.ts';

// As the DynamoDB adapter does it: rows of a batch, batches at a time, tries and their first wait.
const PUT_ALL = { rows: 25, parallel: 8, tries: 6, baseMs: 50 } as const;
const THROTTLED_TRANSACT_BASE_MS = 250;
const LONGEST_WAIT_MS = 2_000;
const KILOBYTE = 1024;

/** Options of the model tables. `start`: their warm throughput; default: that of new tables. */
export interface ModelTablesOptions {
  readonly time: ModelTime;
  /** For the jitter of retries. */
  readonly entropy: Entropy;
  readonly latencies: Latencies;
  readonly start?: StartThroughput;
}

type Result<Answer> = { readonly answer: Answer } | 'key' | 'table';

/** One write of a transaction, and the row as it will be. */
interface Change {
  readonly write: Write;
  readonly key: Row;
  readonly rows: ModelRows;
  readonly old: Stored | undefined;
  readonly held: Stored | undefined;
  readonly holds: boolean;
}

interface Plan {
  readonly changes: readonly Change[];
  readonly items: readonly string[];
}

interface Table {
  readonly rows: ModelRows;
  readonly capacity: TableCapacity;
}

/**
 * The tables with DynamoDB's answers, units, limits and latencies: what is throttled is tried again as the SDK and the adapter
 * do, and is given up as they do. One Region's tables for every process. It loses no reply. A transaction holds its items from the
 * middle of its time to its end, and what meets them is a conflict; a batch of puts, whose rows are new, is not held against them.
 */
export class ModelTables implements Tables {
  /** Requests that failed after all tries. */
  givenUp = 0;
  readonly #time: ModelTime;
  readonly #entropy: Entropy;
  readonly #latencies: Latencies;
  readonly #locks = new ItemLocks();
  readonly #tables: ReadonlyMap<TableName, Table>;

  constructor({ time, entropy, latencies, start }: ModelTablesOptions) {
    this.#time = time;
    this.#entropy = entropy;
    this.#latencies = latencies;
    this.#tables = new Map(
      TABLE_NAMES.map((name) => [name, { rows: new ModelRows(TABLE_SPECS[name]), capacity: new TableCapacity(start) }]),
    );
  }

  /** How many rows a table holds. */
  count(table: TableName): number {
    return this.#table(table).rows.size;
  }

  /** Requests that met an item of a transaction under way. */
  get conflicts(): number {
    return this.#locks.conflicts;
  }

  capacity(table: TableName): TableCapacity {
    return this.#table(table).capacity;
  }

  /** Puts a row at no cost: the state in which a scenario begins. `bytes`: its size, where that is known. */
  place(table: TableName, row: Row, bytes?: number): void {
    this.#table(table).rows.set(row, bytes === undefined ? stored(row) : { row, bytes });
  }

  async get(table: TableName, key: RowKey): Promise<Row | undefined> {
    const { rows, capacity } = this.#table(table);
    return this.#asSdk('get', DYNAMO.getMs, {}, () => {
      const found = rows.get(key);
      const units = Math.max(1, Math.ceil((found?.bytes ?? 0) / (4 * KILOBYTE)));
      return capacity.reads.takeOne(rows.partitionOf(key), units, this.#time.now) ?? { answer: found?.row };
    });
  }

  async write(write: SingleWrite, window: WriteWindow = {}): Promise<WriteOutcome> {
    for (let tries = 0; ; tries++) {
      const outcome = await this.#asSdk(write.op, DYNAMO.writeMs, window, (attempts) => this.#writeOnce(write, attempts));
      if (outcome !== 'conflict') return outcome;
      if (tries === CONFLICT_RETRIES) return this.#giveUp(write.op);
      await this.#backOff(tries, CONFLICT_BASE_MS);
    }
  }

  async transact(writes: readonly Write[], _token: string, terms: TransactTerms = {}): Promise<TransactOutcome> {
    let conflicts = 0;
    for (let tries = 0; tries <= CONFLICT_RETRIES; tries++) {
      this.#checkWindow('transact', terms);
      const halfMs = (this.#latencies.draw(DYNAMO.transactMs) + DYNAMO.transactMsPerAction * writes.length) / 2;
      await this.#time.clock.wait(halfMs);
      const plan = this.#prepare(writes);
      if (plan === 'conflict') conflicts++;
      if (typeof plan === 'object') {
        await this.#time.clock.wait(halfMs);
        return this.#commit(plan);
      }
      if (tries < CONFLICT_RETRIES) await this.#backOff(tries, plan === 'conflict' ? CONFLICT_BASE_MS : THROTTLED_TRANSACT_BASE_MS);
    }
    if (conflicts <= CONFLICT_RETRIES) return this.#giveUp('transact');
    return { applied: false, reasons: writes.map(() => ({ code: 'conflict' })), attempts: 1 };
  }

  async putAll(table: TableName, rows: readonly Row[], window: WriteWindow = {}): Promise<readonly Row[]> {
    const left = await mapLimited(chunks(rows, PUT_ALL.rows), PUT_ALL.parallel, (batch) => this.#putBatch(table, batch, window));
    return left.flat();
  }

  async query(query: Query): Promise<Page> {
    const { rows, capacity } = this.#table(query.table);
    if (query.index !== undefined || query.newestFirst) throw new Error('The model has no indexes and reads no table backwards.');
    return this.#read(
      'query',
      () => rows.query(query),
      (page) => capacity.reads.takeOne(query.partition, page.readUnits, this.#time.now),
    );
  }

  async scan(scan: Scan): Promise<Page> {
    const { rows, capacity } = this.#table(scan.table);
    return this.#read(
      'scan',
      () => rows.scan(scan),
      (page) => capacity.reads.take(NO_KEYS, this.#time.now, page.readUnits),
    );
  }

  async #read(operation: string, look: () => Page, take: (page: Page) => 'key' | 'table' | undefined): Promise<Page> {
    const page = await this.#asSdk(operation, DYNAMO.queryMs, {}, () => {
      const seen = look();
      return take(seen) ?? { answer: seen };
    });
    // Half a unit is 4 KB of an eventually consistent read.
    const megabytes = (page.readUnits * 8 * KILOBYTE) / KILOBYTE ** 2;
    await this.#time.clock.wait(megabytes * DYNAMO.readMsPerMegabyte);
    return page;
  }

  #writeOnce(write: SingleWrite, attempts: number): Result<WriteOutcome | 'conflict'> {
    const { rows, capacity } = this.#table(write.table);
    const key = keyed(write);
    const old = rows.get(key);
    const holds = conditionHolds(write.condition, old?.row);
    const held = holds ? after(write, old) : old;
    const units = unitsOf(Math.max(old?.bytes ?? 0, held?.bytes ?? 0));
    const refused = capacity.writes.takeOne(rows.partitionOf(key), units, this.#time.now);
    if (refused !== undefined) return refused;
    if (this.#locks.meets([rows.nameOf(key)])) return { answer: 'conflict' };
    if (!holds) return { answer: { applied: false, ...(old === undefined ? {} : { row: old.row }), attempts } };
    rows.set(key, held);
    const shown = write.op === 'update' ? held : write.op === 'delete' ? old : undefined;
    return { answer: { applied: true, ...(shown === undefined ? {} : { row: shown.row }), attempts } };
  }

  /** The first phase: units are consumed everywhere or nowhere, and the items are held. */
  #prepare(writes: readonly Write[]): Plan | 'conflict' | 'throttled' {
    const units = new Map<TableName, Map<string, number>>();
    const changes = writes.map((write): Change => {
      const { rows } = this.#table(write.table);
      const key = keyed(write);
      const old = rows.get(key);
      const held = after(write, old);
      const ofTable = units.get(write.table) ?? new Map<string, number>();
      units.set(write.table, ofTable);
      const partition = rows.partitionOf(key);
      ofTable.set(partition, (ofTable.get(partition) ?? 0) + 2 * unitsOf(Math.max(old?.bytes ?? 0, held?.bytes ?? 0)));
      return { write, key, old, held, rows, holds: conditionHolds(write.condition, old?.row) };
    });
    const { now } = this.#time;
    for (const [table, byKey] of units) if (this.#table(table).capacity.writes.refuses(byKey, now)) return 'throttled';
    for (const [table, byKey] of units) this.#table(table).capacity.writes.take(byKey, now);
    const items = changes.map(({ rows, key }) => rows.nameOf(key));
    if (this.#locks.meets(items)) return 'conflict';
    this.#locks.hold(items);
    return { changes, items };
  }

  #commit({ changes, items }: Plan): TransactOutcome {
    this.#locks.release(items);
    if (changes.some(({ holds }) => !holds)) {
      const reasons = changes.map(({ holds, old }): CancelReason =>
        holds ? { code: 'none' } : { code: 'condition', ...(old === undefined ? {} : { row: old.row }) },
      );
      return { applied: false, reasons, attempts: 1 };
    }
    for (const { write, rows, key, held } of changes) if (write.op !== 'check') rows.set(key, held);
    return { applied: true, attempts: 1 };
  }

  async #putBatch(table: TableName, batch: readonly Row[], { notAfter = Number.POSITIVE_INFINITY }: WriteWindow): Promise<readonly Row[]> {
    const { rows, capacity } = this.#table(table);
    let left = batch;
    for (let tries = 0; tries < PUT_ALL.tries && left.length > 0; tries++) {
      if (tries > 0) await this.#backOff(tries - 1, PUT_ALL.baseMs);
      if (this.#time.now > notAfter) break;
      await this.#latencies.pass(DYNAMO.batchMs);
      left = left.filter((row) => {
        const held = stored(row);
        const units = unitsOf(Math.max(held.bytes, rows.get(row)?.bytes ?? 0));
        if (capacity.writes.takeOne(rows.partitionOf(row), units, this.#time.now) !== undefined) return true;
        rows.set(row, held);
        return false;
      });
    }
    if (left.length > 0) this.givenUp++;
    return left;
  }

  /** One request as the SDK makes it: four attempts, jittered waits of half a second and more after throttling. */
  async #asSdk<Answer>(
    operation: string,
    latency: Latency,
    window: WriteWindow,
    apply: (attempts: number) => Result<Answer>,
  ): Promise<Answer> {
    for (let attempts = 1; ; attempts++) {
      this.#checkWindow(operation, window);
      await this.#latencies.pass(latency);
      const result = apply(attempts);
      if (typeof result === 'object') return result.answer;
      if (attempts === DYNAMO.sdkAttempts) return this.#giveUp(operation);
      const most = Math.min(DYNAMO.sdkLongestWaitMs, DYNAMO.sdkThrottleBaseMs * 2 ** (attempts - 1));
      await this.#time.clock.wait(this.#entropy.random() * most);
    }
  }

  #backOff(tries: number, baseMs: number): Promise<void> {
    return this.#time.clock.wait(this.#entropy.random() * Math.min(baseMs * 2 ** tries, LONGEST_WAIT_MS));
  }

  #checkWindow(operation: string, { notAfter }: WriteWindow): void {
    if (notAfter !== undefined && this.#time.now > notAfter) {
      throw new StoreUnavailableError(operation, new Error('the write window is closed'));
    }
  }

  #giveUp(operation: string): never {
    this.givenUp++;
    throw new StoreUnavailableError(operation, new Error('throttled'));
  }

  #table(name: TableName): Table {
    return this.#tables.get(name) as Table;
  }
}

const NO_KEYS: ReadonlyMap<string, number> = new Map();

const keyed = (write: Write): Row => (write.op === 'put' ? write.row : write.key);

const unitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / KILOBYTE));
