import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import type { Page, Row, Scan, Tables } from '../../../../shared/ports/tables.ts';
import { type Answer, answerOf, DifferenceError } from '../answer.ts';
import { countingTables } from '../counting-tables.ts';
import type { Coverage } from '../coverage.ts';
import { type LoanedStore, memorySnapshot, rowsInOrder } from '../stores.ts';
import { performVerb } from './perform-verb.ts';
import { BEGINNING, openStage } from './stage.ts';
import type { VerbCall } from './verbs.ts';

/** Which sequence it is: `seed` draws its ids and tokens, `name` distinguishes its transactions from those of a sequence with the same seed. */
export interface SequenceRun {
  readonly seed: number;
  readonly name: string;
}

/**
 * Performs a sequence of verbs on two deployments that differ in their store only, and throws a DifferenceError at the first
 * answer that differs, or when tables or journals differ in the end. The store is left empty.
 */
export async function compareVerbs(verbs: readonly VerbCall[], store: LoanedStore, coverage: Coverage, run: SequenceRun): Promise<void> {
  const clocks = [new SettableClock(BEGINNING), new SettableClock(BEGINNING)] as const;
  // Without a clock, because the other store remembers tokens by real time, in which a sequence takes no ten minutes.
  const memory = createMemoryTables();
  const onMemory = openStage(clocks[0], scannedInOrder(memory), run.seed);
  const tables = scannedInOrder(countingTables(store.tables(clocks[1]), coverage));
  const onStore = openStage(clocks[1], ownTokens(tables, run.name), run.seed);
  try {
    for (const [step, call] of verbs.entries()) {
      const expected = await answerOf(() => performVerb(onMemory, call));
      const found = await answerOf(() => performVerb(onStore, call));
      expectSame(`step ${step}: ${JSON.stringify(call)}`, expected, found);
      countVerb(call, expected, coverage);
    }
    const left = memorySnapshot(memory);
    expectSame('the tables in the end', left, await store.snapshot());
    expectSame('the journals in the end', journalOf(onMemory.rig.journal.entries), journalOf(onStore.rig.journal.entries));
    coverage.hit('snapshot');
    await store.clear(left);
  } catch (error) {
    await store.renew();
    throw error;
  }
}

/** Two sequences with one seed draw the same tokens. */
function ownTokens(tables: Tables, name: string): Tables {
  return { ...tables, transact: (writes, token, window) => tables.transact(writes, `${name}/${token}`, window) };
}

/** The first segment gives every row in the order of the keys: what a sweep does with one row may hang on those before it. */
function scannedInOrder(tables: Tables): Tables {
  const all = async (scan: Scan): Promise<Page> => {
    const rows: Row[] = [];
    let page = await tables.scan({ ...scan, segments: 1 });
    for (; page.cursor !== undefined; page = await tables.scan({ ...scan, segments: 1, after: page.cursor })) rows.push(...page.rows);
    return { rows: rowsInOrder(scan.table, [...rows, ...page.rows]), readUnits: 1 };
  };
  return {
    get: (table, key) => tables.get(table, key),
    write: (write, window) => tables.write(write, window),
    transact: (writes, token, window) => tables.transact(writes, token, window),
    putAll: (table, rows, window) => tables.putAll(table, rows, window),
    query: (query) => tables.query(query),
    scan: async (scan) => (scan.segment === 0 ? all(scan) : { rows: [], readUnits: 1 }),
  };
}

function expectSame(where: string, memory: unknown, store: unknown): void {
  const [expected, found] = [comparable(memory), comparable(store)];
  if (expected !== found) throw new DifferenceError(where, expected, found);
}

const TOKEN = /^(queue\/\d+\/(?:alone\/)?|run\/|alone\/)[\w-]{22}$/;
/** A stack names the line of the test that called. */
const LEFT_OUT = new Set(['stack', 'errorStack']);

/**
 * As text, without the tokens of leases: which row of a scan gets which token depends on the order in which the rows come. The
 * attributes of a row have no order either, also where it is kept as text.
 */
function comparable(value: unknown): string {
  const plain = (name: string, one: unknown): unknown => {
    if (typeof one === 'string') return name === 'raw' ? comparable(JSON.parse(one)) : one.replace(TOKEN, '$1*');
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    const known = Object.entries(one).filter(([attribute]) => !LEFT_OUT.has(attribute));
    return Object.fromEntries(known.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(value, plain) ?? 'undefined';
}

function journalOf(entries: readonly object[]): readonly string[] {
  return entries.map(comparable).toSorted();
}

function countVerb({ verb }: VerbCall, answer: Answer, coverage: Coverage): void {
  coverage.hit(verb);
  if ('error' in answer) return coverage.hit(`${verb} ${answer.error}`);
  const { value } = answer;
  const { result } = (typeof value === 'object' && value !== null ? value : {}) as { readonly result?: string };
  if (result !== undefined) coverage.hit(`${verb} ${result}`);
  else if (typeof value === 'string' || typeof value === 'boolean') coverage.hit(`${verb} ${value}`);
}
