import { StoreUnavailableError } from '../../shared/core/errors.ts';
import type { SingleWrite, Tables, Write } from '../../shared/ports/tables.ts';

/** Picks the writes that a fault hits: a single write, or the writes of a transaction. */
export type Aim = (writes: readonly Write[]) => boolean;

/** What happens to the next request that is aimed at. */
export type Fault =
  /** Applied, the reply is lost, and the SDK sends the same request again, as it does by itself. */
  | 'lost-reply'
  /** Applied, the reply is lost, and the SDK gives up. */
  | 'lost-for-good'
  /** Not applied, and the SDK gives up. */
  | 'unavailable';

/** Tables in which chosen requests go wrong, and between which other actors can be let in. */
export interface FaultyTables {
  readonly tables: Tables;
  /** Hits the next request that `aim` picks. */
  next(aim: Aim, fault: Fault): void;
  /** Runs `meanwhile` right before the next request that `aim` picks. */
  before(aim: Aim, meanwhile: () => Promise<unknown>): void;
  /** Faults and meanwhiles that nothing has met yet: a test whose fault never happened proves nothing. */
  pending(): number;
}

/** Aims at writes of one kind to one table. */
export const aimAt =
  (op: Write['op'], table: Write['table']): Aim =>
  (writes) =>
    writes.some((write) => write.op === op && write.table === table);

/** Wraps tables with faults as `reliability` knows them: the request reaches the store or not, the reply comes back or not. */
export function faultyTables(inner: Tables): FaultyTables {
  const faults: { aim: Aim; fault: Fault }[] = [];
  const meanwhiles: { aim: Aim; meanwhile: () => Promise<unknown> }[] = [];
  const take = <Entry extends { aim: Aim }>(list: Entry[], writes: readonly Write[]): Entry | undefined => {
    const at = list.findIndex(({ aim }) => aim(writes));
    return at < 0 ? undefined : list.splice(at, 1)[0];
  };
  const run = async <Outcome extends { attempts: number }>(writes: readonly Write[], request: () => Promise<Outcome>): Promise<Outcome> => {
    await take(meanwhiles, writes)?.meanwhile();
    const fault = take(faults, writes)?.fault;
    if (fault === 'unavailable') throw new StoreUnavailableError('test', new Error('unavailable'));
    const outcome = await request();
    if (fault === 'lost-for-good') throw new StoreUnavailableError('test', new Error('lost reply'));
    if (fault !== 'lost-reply') return outcome;
    return { ...(await request()), attempts: 2 };
  };
  return {
    tables: {
      get: inner.get.bind(inner),
      query: inner.query.bind(inner),
      scan: inner.scan.bind(inner),
      putAll: inner.putAll.bind(inner),
      write: async (write: SingleWrite, window) => run([write], async () => inner.write(write, window)),
      transact: async (writes, token, window) => run(writes, async () => inner.transact(writes, token, window)),
    },
    next: (aim, fault) => void faults.push({ aim, fault }),
    before: (aim, meanwhile) => void meanwhiles.push({ aim, meanwhile }),
    pending: () => faults.length + meanwhiles.length,
  };
}
