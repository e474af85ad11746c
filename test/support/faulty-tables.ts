import { StoreUnavailableError } from '../../shared/job/errors.ts';
import type { FaultName } from '../../testing/index.ts';
import type { Query, RowKey, Scan, SingleWrite, TableName, Tables, TransactOutcome, Write } from '../../shared/ports/tables.ts';

/** Picks the writes that a fault hits: a single write, or the writes of a transaction. */
export type Aim = (writes: readonly Write[]) => boolean;

/** The fault of the next matching request: the fault kit's names, as the port sees them after the SDK. */
export type Fault = Extract<FaultName, 'lost-reply' | 'lost-for-good' | 'unavailable' | 'conflict'>;

/** A read, as a fault that lasts sees it. */
export type Read =
  | { readonly op: 'get'; readonly table: TableName; readonly key: RowKey }
  | ({ readonly op: 'query' } & Query)
  | ({ readonly op: 'scan' } & Scan);

/** Tables in which chosen requests fail, and before which other actors can run. */
export interface FaultyTables {
  readonly tables: Tables;
  /** Hits the next request that `aim` picks, or the next few. */
  next(aim: Aim, fault: Fault, times?: number): void;
  /** Runs `meanwhile` right before the next request that `aim` picks. */
  before(aim: Aim, meanwhile: () => Promise<unknown>): void;
  /** From now on the store does not answer the reads that `aim` picks. */
  unreadable(aim: (read: Read) => boolean): void;
  /** Faults and meanwhiles that did not occur yet: a test whose fault never occurred proves nothing. */
  pending(): number;
}

/** Aims at writes of one kind to one table. */
export const aimAt =
  (op: Write['op'], table: Write['table']): Aim =>
  (writes) =>
    writes.some((write) => write.op === op && write.table === table);

/** Aims at updates of Jobs that raise or set all of the named attributes. */
export const aimAtChangeOf =
  (...names: readonly string[]): Aim =>
  (writes) =>
    writes.some(
      (write) => write.op === 'update' && write.table === 'jobs' && names.every((name) => name in { ...write.set, ...write.add }),
    );

/** Counts the writes that an aim picks, from now on. */
export function countWrites(faults: Pick<FaultyTables, 'before'>, aim: Aim): () => number {
  let writes = 0;
  const count = (): void =>
    faults.before(aim, async () => {
      writes++;
      count();
    });
  count();
  return () => writes;
}

const noAnswer = (why: string): StoreUnavailableError => new StoreUnavailableError('test', new Error(why));

/** DynamoDB's reasons for a transaction whose matching writes conflict with another one; a single write is throttled forever instead. */
function conflictOf(writes: readonly Write[], aim: Aim): TransactOutcome {
  return { applied: false, attempts: 6, reasons: writes.map((write) => ({ code: aim([write]) ? 'conflict' : 'none' })) };
}

/** Wraps tables with faults: the request reaches the store or not, the reply comes back or not. */
export function faultyTables(inner: Tables): FaultyTables {
  const faults: { aim: Aim; fault: Fault }[] = [];
  const meanwhiles: { aim: Aim; meanwhile: () => Promise<unknown> }[] = [];
  const unreadable: { aim: (read: Read) => boolean; met: boolean }[] = [];
  const take = <Entry extends { aim: Aim }>(list: Entry[], writes: readonly Write[]): Entry | undefined => {
    const at = list.findIndex(({ aim }) => aim(writes));
    return at < 0 ? undefined : list.splice(at, 1)[0];
  };
  const run = async <Outcome extends { attempts: number }>(
    writes: readonly Write[],
    request: () => Promise<Outcome>,
    conflict: (aim: Aim) => Outcome,
  ): Promise<Outcome> => {
    await take(meanwhiles, writes)?.meanwhile();
    const { aim = () => false, fault } = take(faults, writes) ?? {};
    if (fault === 'unavailable') throw noAnswer('unavailable');
    if (fault === 'conflict') return conflict(aim);
    const outcome = await request();
    if (fault === 'lost-for-good') throw noAnswer('lost reply');
    if (fault !== 'lost-reply') return outcome;
    return { ...(await request()), attempts: 2 };
  };
  const read = async <Result>(what: Read, request: () => Promise<Result>): Promise<Result> => {
    const fault = unreadable.find(({ aim }) => aim(what));
    if (fault === undefined) return request();
    fault.met = true;
    throw noAnswer('unreadable');
  };
  const throttled = (): never => {
    throw noAnswer('conflict');
  };
  return {
    tables: {
      get: async (table, key) => read({ op: 'get', table, key }, async () => inner.get(table, key)),
      query: async (query) => read({ op: 'query', ...query }, async () => inner.query(query)),
      scan: async (scan) => read({ op: 'scan', ...scan }, async () => inner.scan(scan)),
      putAll: inner.putAll.bind(inner),
      write: async (write: SingleWrite, window) => run([write], async () => inner.write(write, window), throttled),
      transact: async (writes, token, window) =>
        run(
          writes,
          async () => inner.transact(writes, token, window),
          (aim) => conflictOf(writes, aim),
        ),
    },
    next: (aim, fault, times = 1) => void faults.push(...Array.from({ length: times }, () => ({ aim, fault }))),
    before: (aim, meanwhile) => void meanwhiles.push({ aim, meanwhile }),
    unreadable: (aim) => void unreadable.push({ aim, met: false }),
    pending: () => faults.length + meanwhiles.length + unreadable.filter(({ met }) => !met).length,
  };
}
