import type { HintSender } from '../../shared/ports/hints.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { Page, Row, Tables } from '../../shared/ports/tables.ts';
import type { ProcessPorts, World } from '../proofs/simulation/world/world.ts';
import {
  isPresent,
  keyText,
  type KnownRows,
  nameOf,
  queryText,
  rowText,
  scanText,
  sentText,
  SEPARATOR,
  windowText,
  writeText,
} from './text.ts';

/** Records what the processes of a world request of the store and the queues, and the events in their journals. */
export class Recorder {
  readonly lines: string[] = [];
  readonly events: string[] = [];
  readonly #known: KnownRows = new Map();

  constructor(world: World) {
    const ports = world.ports.bind(world);
    world.ports = (process, hops) => this.#recorded(ports(process, hops));
  }

  #recorded(ports: ProcessPorts): ProcessPorts {
    return { ...ports, tables: this.#tables(ports.tables), hints: this.#hints(ports.hints), journal: this.#journal(ports.journal) };
  }

  #tables(tables: Tables): Tables {
    const known = this.#known;
    return {
      get: async (table, key) => {
        const row = await tables.get(table, key);
        this.#add([`get ${table} ${keyText(key)}`], row === undefined ? 'nothing' : undefined);
        this.#know(row);
        return row;
      },
      query: async (query) => this.#page(queryText(query), await tables.query(query)),
      scan: async (scan) => this.#page(scanText(scan), await tables.scan(scan)),
      write: async (write, window) => {
        const text = [writeText(write, known), windowText(window)];
        const outcome = await tables.write(write, window);
        this.#add(text, outcome.applied ? undefined : outcome.row === undefined ? 'refused: no row' : 'refused');
        this.#know(outcome.applied && write.op === 'put' ? write.row : outcome.row);
        return outcome;
      },
      transact: async (writes, token, terms) => {
        const text = [`transact ${token}: ${writes.map((write) => writeText(write, known)).join(SEPARATOR)}`, windowText(terms)];
        const outcome = await tables.transact(writes, token, terms);
        this.#add(text, outcome.applied ? undefined : `refused: ${outcome.reasons.map(({ code }) => code).join(', ')}`);
        for (const write of writes) if (outcome.applied && write.op === 'put') this.#know(write.row);
        return outcome;
      },
      putAll: async (table, rows, window) => {
        const text = [`put ${table} ${rows.map((row) => rowText(row, known)).join(SEPARATOR)}`, windowText(window)];
        const left = await tables.putAll(table, rows, window);
        this.#add(text, left.length === 0 ? undefined : `${left.length} left over`);
        return left;
      },
    };
  }

  #page(request: string, page: Page): Page {
    this.#add([request], page.cursor === undefined ? undefined : 'and more');
    for (const row of page.rows) this.#know(row);
    return page;
  }

  #hints(hints: HintSender): HintSender {
    return {
      send: (sent) => {
        this.#add([sentText(sent)]);
        return hints.send(sent);
      },
    };
  }

  #journal(journal: Journal): Journal {
    return {
      ...journal,
      record: (entry) => {
        this.events.push(entry.event);
        journal.record(entry);
      },
    };
  }

  #know(row: Row | undefined): void {
    if (row !== undefined) this.#known.set(nameOf(row), row);
  }

  #add(request: readonly string[], answer?: string): void {
    const text = request.filter(isPresent).join(' ');
    this.lines.push(answer === undefined ? text : `${text} -> ${answer}`);
  }
}
