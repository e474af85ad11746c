import { DescribeTableCommand, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { createTables } from '../../local/create-tables.ts';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { freshPrefix, testDynamo } from '../support/emulators.ts';
import { losingHandler } from '../support/losing-handler.ts';

test('tables whose creation was applied and whose reply was lost are created all the same', async () => {
  const { endpoint } = await testDynamo();
  let lost = 0;
  const requestHandler = losingHandler((operation) => operation === 'CreateTable' && (lost += 1) <= 2);
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint, requestHandler });
  onTestFinished(() => client.destroy());
  const prefix = freshPrefix();
  const names = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${name}`])) as Record<TableName, string>;
  await createTables(client, names);
  expect(lost).toBeGreaterThan(2);
  const described = Object.values(names).map(async (TableName) => client.send(new DescribeTableCommand({ TableName })));
  for (const { Table } of await Promise.all(described)) expect(Table?.TableStatus).toBe('ACTIVE');
  await expect(createTables(client, names)).rejects.toThrow(ResourceInUseException);
});
