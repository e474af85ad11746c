import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { onTestFinished } from 'vitest';
import { createDynamoClient } from '../../../shared/adapters/dynamodb/client.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { testDynamo } from '../../support/emulators.ts';

let created: Promise<unknown> | undefined;

/** A client of one's own for a DynamoDB that has the table `sales`. */
export async function localDynamo(): Promise<DynamoDBClient> {
  const { endpoint, client } = await testDynamo();
  created ??= client.send(
    new CreateTableCommand({
      TableName: 'sales',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  await created;
  const own = createDynamoClient({ ...EMULATOR_ACCESS, endpoint });
  onTestFinished(() => own.destroy());
  return own;
}
