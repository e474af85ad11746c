import { outcomeUnknown } from '../../shared/job/store-failures.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { HintSender } from '../../shared/ports/hints.ts';
import type { SingleWrite, Tables, TransactOutcome, Write, WriteOutcome } from '../../shared/ports/tables.ts';
import type { ProcessPorts, World } from '../proofs/simulation/world/world.ts';

/**
 * What happens at a request that writes. `repeated`: its first reply is lost and the adapter repeats it; `unknown`: it is applied and its
 * caller gets an error; a function: somebody else acts right before it.
 */
export type Mishap = 'repeated' | 'unknown' | (() => Promise<unknown>);

/** One thing that a process asked for or told, and what it got. */
export interface Line {
  readonly verb: string;
  readonly what: unknown;
  readonly got?: unknown;
}

/** Writes down what the processes of a world ask of their store and queues, and what they tell their journal, while it is on. */
export class Recorder {
  readonly lines: Line[] = [];
  on = true;
  /** How many requests that write there were. */
  writes = 0;
  readonly #mishap: { readonly at: number; readonly what: Mishap } | undefined;

  /** `mishap`: at which of the requests that write, counted from 1. */
  constructor(world: World, mishap?: { readonly at: number; readonly what: Mishap }) {
    this.#mishap = mishap;
    const ports = world.ports.bind(world);
    world.ports = (process, hops) => (this.on ? this.#recorded(ports(process, hops)) : ports(process, hops));
  }

  #recorded(ports: ProcessPorts): ProcessPorts {
    return { ...ports, tables: this.#tables(ports.tables), hints: this.#hints(ports.hints), journal: this.#journal(ports.journal) };
  }

  #tables(tables: Tables): Tables {
    return {
      get: async (table, key) => {
        const row = await tables.get(table, key);
        this.#add('get', { table, key }, row === undefined ? 'nothing' : undefined);
        return row;
      },
      query: async (query) => {
        const page = await tables.query(query);
        this.#add('query', query, `${page.rows.length} rows${page.cursor === undefined ? '' : ' and more'}`);
        return page;
      },
      scan: async (scan) => {
        const page = await tables.scan(scan);
        this.#add('scan', scan, `${page.rows.length} rows`);
        return page;
      },
      write: (write, window) =>
        this.#writing<WriteOutcome>('write', [write, ...(window === undefined ? [] : [window])], refusal, () =>
          tables.write(write, window),
        ),
      transact: (writes, token, terms) =>
        this.#writing<TransactOutcome>('transact', [token, ...writes, ...(terms === undefined ? [] : [terms])], reasons, () =>
          tables.transact(writes, token, terms),
        ),
      putAll: (table, rows, window) =>
        this.#writing(
          'putAll',
          [table, ...rows, ...(window === undefined ? [] : [window])],
          (left) => (left.length === 0 ? undefined : `${left.length} left over`),
          () => tables.putAll(table, rows, window),
        ),
    };
  }

  async #writing<Outcome extends object>(
    verb: string,
    what: readonly (string | object | SingleWrite | Write)[],
    got: (outcome: Outcome) => string | undefined,
    apply: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const mishap = ++this.writes === this.#mishap?.at ? this.#mishap.what : undefined;
    if (typeof mishap === 'function') {
      this.#add('meanwhile', 'somebody else acts');
      this.on = false;
      await mishap();
      this.on = true;
    }
    let outcome = await apply();
    if (mishap === 'unknown') {
      this.#add(verb, what, 'no reply');
      throw outcomeUnknown(verb, new Error('no reply'));
    }
    if (mishap === 'repeated') outcome = { ...(await apply()), attempts: 2 };
    const answer = got(outcome);
    this.#add(verb, what, mishap === 'repeated' ? `second reply${answer === undefined ? '' : `: ${answer}`}` : answer);
    return outcome;
  }

  #hints(hints: HintSender): HintSender {
    return {
      send: async (sent) => {
        this.#add('send', sent);
        return hints.send(sent);
      },
    };
  }

  #journal(journal: Journal): Journal {
    return {
      ...journal,
      record: (entry) => {
        this.#add('journal', entry);
        journal.record(entry);
      },
    };
  }

  #add(verb: string, what: unknown, got?: unknown): void {
    this.lines.push({ verb, what, ...(got === undefined ? {} : { got }) });
  }
}

const refusal = (outcome: WriteOutcome): string | undefined =>
  outcome.applied ? undefined : outcome.row === undefined ? 'refused: no row' : 'refused';

const reasons = (outcome: TransactOutcome): string | undefined =>
  outcome.applied ? undefined : `refused: ${outcome.reasons.map(({ code }) => code).join(', ')}`;
