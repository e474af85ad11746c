import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import type { TablesSubject } from '../../testing/contract/contract.ts';
import { createWireTables } from '../proofs/simulation/wire/wire-tables.ts';
import { freshTables } from '../support/emulators.ts';
import { RequiredBatches } from '../support/required-batches.ts';

/** Every write that can be a statement is one, alone or not. */
const batches = (): RequiredBatches => new RequiredBatches(1);
const now = (): number => systemClock.now();

/** Every implementation of the port, by name; `open` gives empty tables. */
export const TABLES_UNDER_TEST: readonly (readonly [string, () => Promise<TablesSubject>])[] = [
  ['memory', async () => ({ tables: createMemoryTables({ clock: systemClock }), now })],
  ['the simulated wire', async () => ({ tables: createWireTables(systemClock), now })],
  ['the simulated wire, in batches', async () => ({ tables: createWireTables(systemClock, batches()), now })],
  [
    'DynamoDB, in batches',
    async () => ({
      tables: createDynamoTables({ ...(await freshTables()), clock: systemClock, entropy: systemEntropy, batches: batches() }),
      now,
    }),
  ],
  ['DynamoDB', async () => ({ tables: createDynamoTables({ ...(await freshTables()), clock: systemClock, entropy: systemEntropy }), now })],
];
