import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { Hint } from '../../../../shared/job/hint.ts';
import type { HintSender } from '../../../../shared/ports/hints.ts';
import type { Row, TableName, Tables, Write } from '../../../../shared/ports/tables.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { FaultPlan } from './fault-plan.ts';

/** Written by a later version of the code into each job that it creates; today's code knows nothing of it. */
export const OF_TOMORROW = 'ofTomorrow';

/**
 * The layouts of three versions at once: half of the processes write as today. A quarter is older: the jobs that they create have no `schemaVersion`, and their
 * hints name no priority. A quarter is newer: their jobs have one attribute more. Each reads what the others wrote. Chance of its own: the rest of the world is what
 * it was without it.
 */
export class TwoLayouts {
  readonly #plan: FaultPlan;
  readonly #chance: Entropy;
  readonly #versions = new WeakMap<SimProcess, 'older' | 'today' | 'newer'>();

  constructor(plan: FaultPlan, seed: number) {
    this.#plan = plan;
    this.#chance = seededEntropy(seed * 97 + 29);
  }

  tables(process: SimProcess, inner: Tables): Tables {
    const version = this.#versionOf(process);
    if (version === 'today') return inner;
    const row = (table: TableName, given: Row): Row => (isFresh(table, given) ? this.#laidOut(given, version) : given);
    const written = <One extends Write>(write: One): One => (write.op === 'put' ? { ...write, row: row(write.table, write.row) } : write);
    return {
      get: (table, key) => inner.get(table, key),
      query: (query) => inner.query(query),
      scan: (scan) => inner.scan(scan),
      write: (write, window) => inner.write(written(write), window),
      transact: (writes, token, window) => inner.transact(writes.map(written), token, window),
      putAll: (table, rows, window) =>
        inner.putAll(
          table,
          rows.map((one) => row(table, one)),
          window,
        ),
    };
  }

  hints(process: SimProcess, inner: HintSender): HintSender {
    if (this.#versionOf(process) !== 'older') return inner;
    return { send: (hints) => inner.send(hints.map(withoutPriority)) };
  }

  #versionOf(process: SimProcess): 'older' | 'today' | 'newer' {
    if (!this.#plan.wide.on.includes('two-layouts')) return 'today';
    const known = this.#versions.get(process);
    if (known !== undefined) return known;
    const drawn = this.#chance.random();
    const version = drawn < 0.25 ? 'older' : drawn < 0.5 ? 'newer' : 'today';
    this.#versions.set(process, version);
    return version;
  }

  #laidOut(row: Row, version: 'older' | 'newer'): Row {
    const { schemaVersion, ...older } = row;
    if (version === 'older' && schemaVersion !== 1) return row;
    this.#plan.count('two-layouts');
    return version === 'newer' ? { ...row, [OF_TOMORROW]: 'x' } : older;
  }
}

/** A job that is created: one that is moved keeps what its row had. */
function isFresh(table: TableName, { rev }: Row): boolean {
  return (table === 'jobs' || table === 'timers') && rev === 1;
}

/** A priority of 0 is left out of the message. */
const withoutPriority = (hint: Hint): Hint => ({ ...hint, priority: 0 });
