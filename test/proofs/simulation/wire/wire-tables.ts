import type { BatchSupport } from '../../../../shared/adapters/dynamodb/batch-support.ts';
import { createDynamoTables } from '../../../../shared/adapters/dynamodb/tables.ts';
import type { TableNames } from '../../../../shared/adapters/dynamodb/write-input.ts';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { defined } from '../../../../shared/job/defined.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { TABLE_NAMES } from '../../../../shared/ports/table-spec.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { askDynamo } from './dynamo-service.ts';
import { createWireClient, wireHandler } from './wire-client.ts';

/** Every table goes by its own name. */
export const WIRE_NAMES = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as TableNames;

/** Empty tables behind the real adapter and the real client, over a wire on which nothing goes wrong and nothing takes time. */
export function createWireTables(clock: Clock, batches?: BatchSupport): Tables {
  const store = createMemoryTables({ clock });
  const client = createWireClient(wireHandler(({ operation, body }) => askDynamo(store, operation, body)));
  return createDynamoTables({ client, names: WIRE_NAMES, clock, entropy: seededEntropy(7), ...defined({ batches }) });
}
