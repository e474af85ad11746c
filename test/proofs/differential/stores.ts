import { BatchWriteItemCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTables } from '../../../local/create-tables.ts';
import { createDynamoClient } from '../../../shared/adapters/dynamodb/client.ts';
import { createDynamoTables } from '../../../shared/adapters/dynamodb/tables.ts';
import type { TableNames } from '../../../shared/adapters/dynamodb/write-input.ts';
import { toItem } from '../../../shared/adapters/dynamodb/marshal.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { MemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { keyOf, TABLE_NAMES, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type { Row, RowKey, TableName, Tables } from '../../../shared/ports/tables.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { RequiredBatches } from '../../support/required-batches.ts';
import { type ConflictQueue, conflictingHandler } from './conflicts.ts';

/** All rows of all tables, in the order of their keys. */
export type Snapshot = Readonly<Record<TableName, readonly Row[]>>;

/** A DynamoDB with six tables that one sequence after another has to itself. */
export interface LoanedStore {
  /** The adapter over the time of one sequence. */
  tables(clock: Clock): Tables;
  /** Conflicts that the next requests meet. */
  readonly conflicts: ConflictQueue;
  snapshot(): Promise<Snapshot>;
  /** Removes these rows. */
  clear(rows: Snapshot): Promise<void>;
  /** New, empty tables: the old ones may hold rows that no request can remove. */
  renew(): Promise<void>;
  close(): void;
}

const BATCH = 25;

/** Creates six tables under a prefix of their own. */
export async function openStore(endpoint: string, prefix: string): Promise<LoanedStore> {
  const conflicts = conflictingHandler();
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint, requestHandler: conflicts.requestHandler });
  let generation = 0;
  const createNext = async (): Promise<TableNames> => {
    generation += 1;
    const names = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${generation}-${name}`])) as Record<TableName, string>;
    await createTables(client, names);
    return names;
  };
  let names = await createNext();
  let turn = 0;
  // In every second sequence each write that can be a statement is one.
  const tables = (clock: Clock): Tables =>
    createDynamoTables({
      client,
      names,
      clock,
      entropy: seededEntropy(7),
      ...((turn += 1) % 2 === 0 ? {} : { batches: new RequiredBatches(1) }),
    });
  return {
    tables,
    conflicts,
    snapshot: () => snapshotOf(tables({ now: () => 0, wait: async () => {} })),
    clear: (rows) => clearRows(client, names, rows),
    async renew() {
      const old = Object.values(names);
      names = await createNext();
      await Promise.all(old.map((name) => client.send(new DeleteTableCommand({ TableName: name }))));
    },
    close: () => client.destroy(),
  };
}

/** All rows of a memory store. */
export function memorySnapshot(tables: MemoryTables): Snapshot {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, rowsInOrder(name, tables.rows(name))])) as Snapshot;
}

async function snapshotOf(tables: Tables): Promise<Snapshot> {
  const entries = TABLE_NAMES.map(async (table) => {
    const rows: Row[] = [];
    let after: RowKey | undefined;
    do {
      const page = await tables.scan({ table, segment: 0, segments: 1, limit: 1000, ...(after === undefined ? {} : { after }) });
      rows.push(...page.rows);
      after = page.cursor;
    } while (after !== undefined);
    return [table, rowsInOrder(table, rows)] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Snapshot;
}

/** Rows of one table in the order of their keys. */
export function rowsInOrder(table: TableName, rows: readonly Row[]): readonly Row[] {
  const text = (row: Row): string => JSON.stringify(keyOf(TABLE_SPECS[table], row));
  return rows.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

async function clearRows(client: DynamoDBClient, names: Readonly<Record<TableName, string>>, rows: Snapshot): Promise<void> {
  const requests = TABLE_NAMES.flatMap((table) =>
    rows[table].map((row) => ({ table, request: { DeleteRequest: { Key: toItem(keyOf(TABLE_SPECS[table], row)) } } })),
  );
  for (let at = 0; at < requests.length; at += BATCH) {
    const batch = Map.groupBy(requests.slice(at, at + BATCH), ({ table }) => names[table]);
    const items = Object.fromEntries([...batch].map(([name, some]) => [name, some.map(({ request }) => request)]));
    const { UnprocessedItems: left = {} } = await client.send(new BatchWriteItemCommand({ RequestItems: items }));
    if (Object.keys(left).length > 0) throw new Error('the store did not clear its tables');
  }
}
