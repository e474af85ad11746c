import {
  CreateTableCommand,
  type CreateTableCommandOutput,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { type KeySpec, TABLE_SPECS, type TableSpec } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';

/**
 * Creates the tables that have names, with indexes, and returns when they can be used. `expire: false` leaves out TTL, for a clock that differs
 * from the store's.
 */
export async function createTables(
  client: DynamoDBClient,
  names: Readonly<Partial<Record<TableName, string>>>,
  { expire = true }: { readonly expire?: boolean } = {},
): Promise<void> {
  const named = Object.entries(names) as readonly [TableName, string][];
  await Promise.all(named.map(([name, as]) => createTable(client, expire ? TABLE_SPECS[name] : withoutTtl(TABLE_SPECS[name]), as)));
}

async function createTable(client: DynamoDBClient, spec: TableSpec, tableName: string): Promise<void> {
  const indexes = Object.entries(spec.indexes);
  const keys = [spec, ...indexes.map(([, index]) => index)].flatMap((key) => [
    key.partition,
    ...(key.sort === undefined ? [] : [key.sort]),
  ]);
  const created = await createOnce(
    client,
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...new Set(keys)].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: keySchema(spec),
      ...(indexes.length === 0
        ? {}
        : {
            GlobalSecondaryIndexes: indexes.map(([IndexName, index]) => ({
              IndexName,
              KeySchema: keySchema(index),
              Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: nonKeys(index.projects, spec, index) },
            })),
          }),
    }),
  );
  if (created?.TableDescription?.TableStatus !== 'ACTIVE')
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: tableName });
  if (spec.ttl !== undefined) {
    await client.send(
      new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification: { AttributeName: spec.ttl, Enabled: true } }),
    );
  }
}

function withoutTtl({ ttl: _ttl, ...spec }: TableSpec): TableSpec {
  return spec;
}

/** Undefined when an attempt before this one created the table and its reply was lost: a loaded emulator may be slower than a client waits. */
async function createOnce(client: DynamoDBClient, command: CreateTableCommand): Promise<CreateTableCommandOutput | undefined> {
  try {
    return await client.send(command);
  } catch (error) {
    if (error instanceof ResourceInUseException && (error.$metadata.attempts ?? 1) > 1) return undefined;
    throw error;
  }
}

function keySchema(key: KeySpec): { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[] {
  return [
    { AttributeName: key.partition, KeyType: 'HASH' },
    ...(key.sort === undefined ? [] : [{ AttributeName: key.sort, KeyType: 'RANGE' as const }]),
  ];
}

// Key attributes are in every index anyway, and DynamoDB refuses to have them named as projected.
function nonKeys(projects: readonly string[], ...keys: readonly KeySpec[]): string[] {
  const named = new Set(keys.flatMap((key) => [key.partition, key.sort]));
  return projects.filter((name) => !named.has(name));
}
