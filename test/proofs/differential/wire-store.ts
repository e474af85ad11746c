import { createDynamoTables } from '../../../shared/adapters/dynamodb/tables.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import { askDynamo } from '../simulation/wire/dynamo-service.ts';
import { createWireClient, wireHandler } from '../simulation/wire/wire-client.ts';
import { WIRE_NAMES } from '../simulation/wire/wire-tables.ts';
import { conflictingHandler } from './conflicts.ts';
import { type LoanedStore, memorySnapshot } from './stores.ts';

/** The DynamoDB of the simulation, as a store that is compared like any other. */
export function openWireStore(): LoanedStore {
  let store = createMemoryTables();
  const conflicts = conflictingHandler(wireHandler(({ operation, body }) => askDynamo(store, operation, body)));
  const client = createWireClient(conflicts.requestHandler);
  const renew = async (): Promise<void> => void (store = createMemoryTables());
  return {
    tables: (clock) => createDynamoTables({ client, names: WIRE_NAMES, clock, entropy: seededEntropy(7) }),
    conflicts,
    snapshot: async () => memorySnapshot(store),
    clear: renew,
    renew,
    close: () => client.destroy(),
  };
}
