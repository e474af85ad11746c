import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { TableName, Tables } from '../../shared/ports/tables.ts';
import { RequiredBatches } from './required-batches.ts';
import { TEST_SEED } from './test-seed.ts';
import { withoutEmptyReads } from './without-empty-reads.ts';

/**
 * Which store the flow and race tests run on; vitest.config.ts runs them on both. Tests of what many requests come to, how many or at which pace,
 * are skipped on DynamoDB: it judges none of that, and takes minutes.
 */
export const ON_DYNAMO: boolean = process.env['NIGHTCREW_TEST_TABLES'] === 'dynamo';

/** Delays each request by about this long, which shows whether a test depends on the store's speed. */
const DELAY_MS = Number(process.env['NIGHTCREW_TEST_STORE_DELAY_MS'] ?? 0);

/** Empty tables for one rig: in memory, or in the DynamoDB of this test file, created when the first request comes. */
export function rigTables(clock: Clock): Tables {
  const tables = ON_DYNAMO ? onDemand(clock) : createMemoryTables({ clock });
  return DELAY_MS > 0 ? slowed(tables) : tables;
}

/** Separates simultaneous requests: each waits for half to one and a half of the delay. */
function slowed(inner: Tables): Tables {
  const entropy = seededEntropy(TEST_SEED);
  const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, DELAY_MS * (0.5 + entropy.random())));
  return {
    get: async (table, key) => (await wait(), inner.get(table, key)),
    write: async (write, window) => (await wait(), inner.write(write, window)),
    transact: async (writes, token, window) => (await wait(), inner.transact(writes, token, window)),
    putAll: async (table, rows, window) => (await wait(), inner.putAll(table, rows, window)),
    query: async (query) => (await wait(), inner.query(query)),
    scan: async (scan) => (await wait(), inner.scan(scan)),
  };
}

/** The tables are created when they are first written to. */
function onDemand(clock: Clock): Tables {
  let opened: Promise<{ readonly tables: Tables; readonly create: (table: TableName) => Promise<void> }> | undefined;
  const open = () =>
    (opened ??= (async () => {
      const { tablesOnDemand } = await import('./emulators.ts');
      const { client, names, create } = await tablesOnDemand();
      const tables = createDynamoTables({ client, names, clock, entropy: seededEntropy(7), batches: new RequiredBatches() });
      return { tables, create };
    })());
  const tables: Tables = {
    get: async (table, key) => (await open()).tables.get(table, key),
    write: async (write, window) => (await open()).tables.write(write, window),
    transact: async (writes, token, window) => (await open()).tables.transact(writes, token, window),
    putAll: async (table, rows, window) => (await open()).tables.putAll(table, rows, window),
    query: async (query) => (await open()).tables.query(query),
    scan: async (scan) => (await open()).tables.scan(scan),
  };
  return withoutEmptyReads(tables, async (table) => (await open()).create(table));
}

/** Counts pending requests, so that a test can wait until everything has settled. */
export function counted(inner: Tables): { readonly tables: Tables; readonly settle: () => Promise<void> } {
  let underWay = 0;
  const count = async <Result>(request: Promise<Result>): Promise<Result> => {
    underWay++;
    try {
      return await request;
    } finally {
      underWay--;
    }
  };
  return {
    tables: {
      get: (table, key) => count(inner.get(table, key)),
      write: (write, window) => count(inner.write(write, window)),
      transact: (writes, token, window) => count(inner.transact(writes, token, window)),
      putAll: (table, rows, window) => count(inner.putAll(table, rows, window)),
      query: (query) => count(inner.query(query)),
      scan: (scan) => count(inner.scan(scan)),
    },
    async settle() {
      for (let quiet = 0; quiet < 20; quiet = underWay === 0 ? quiet + 1 : 0) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
