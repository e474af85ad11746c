import { readFileSync } from 'node:fs';
import {
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndexUpdate,
  QueryCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import { TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { freshTables } from '../support/emulators.ts';
import { keptFile, type Layouts } from './layouts.ts';

const kept = (JSON.parse(readFileSync(keptFile('0.1.0'), 'utf8')) as Layouts).rows.deadLetters;
/** Twenty dead letters of each that was left. */
const deadLetters: readonly Row[] = kept.flatMap((row) =>
  Array.from({ length: 20 }, (_, copy) => ({ ...row, id: `${String(row['id'])}-${copy}` })),
);
/** Keys of `byType`, in the release before and under its new name. */
const KEYS = { partition: 'typeLeaf', sort: 'failedAt' } as const;

/** DeadLetters of 0.1.0 with the rows that a deployment left. */
async function deadLettersOfBefore() {
  const { client, names } = await freshTables();
  const tables = createDynamoTables({ client, names, clock: systemClock, entropy: systemEntropy });
  for (const row of deadLetters) await tables.write({ op: 'put', table: 'deadLetters', row });
  return { client, tables, TableName: names.deadLetters };
}

const created: GlobalSecondaryIndexUpdate = {
  Create: {
    IndexName: 'byType2',
    KeySchema: [
      { AttributeName: KEYS.partition, KeyType: 'HASH' },
      { AttributeName: KEYS.sort, KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['payload'] },
  },
};
const dropped = (IndexName: string): GlobalSecondaryIndexUpdate => ({ Delete: { IndexName } });

/** What CloudFormation asks of DynamoDB when the template of a table has another index. Returns when the index can be read or is gone. */
async function change(client: DynamoDBClient, TableName: string, ...updates: readonly GlobalSecondaryIndexUpdate[]): Promise<void> {
  const keys = [KEYS.partition, KEYS.sort].map((AttributeName) => ({ AttributeName, AttributeType: 'S' }) as const);
  await client.send(new UpdateTableCommand({ TableName, AttributeDefinitions: keys, GlobalSecondaryIndexUpdates: [...updates] }));
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const states = Table?.GlobalSecondaryIndexes?.map(({ IndexStatus = 'ACTIVE' }) => IndexStatus) ?? [];
    if (states.every((state) => state === 'ACTIVE')) return;
    await systemClock.wait(50);
  }
}

/** Ids and payloads of all dead letters of the kept types, as one index has them. */
async function listed(client: DynamoDBClient, TableName: string, IndexName: string) {
  const leaves = [...new Set(deadLetters.map((row) => String(row[KEYS.partition])))];
  const pages = await Promise.all(
    leaves.map((leaf) =>
      client.send(
        new QueryCommand({
          TableName,
          IndexName,
          KeyConditionExpression: '#leaf = :leaf',
          ExpressionAttributeNames: { '#leaf': KEYS.partition },
          ExpressionAttributeValues: { ':leaf': { S: leaf } },
        }),
      ),
    ),
  );
  const items = pages.flatMap(({ Items = [] }) => Items);
  return new Map(items.map(({ id, payload }) => [id?.S, payload?.S]));
}

describe('an index that changes from release to release', () => {
  it('is filled under its new name from the rows that are there, while the release before reads the old one', async () => {
    const { client, tables, TableName } = await deadLettersOfBefore();
    await change(client, TableName, created);
    expect(TABLE_SPECS.deadLetters.indexes['byType']).toMatchObject(KEYS);
    const ids = deadLetters.map(({ id }) => String(id));
    expect(ids.length).toBeGreaterThanOrEqual(20);
    const [before, after] = [await listed(client, TableName, 'byType'), await listed(client, TableName, 'byType2')];
    for (const index of [before, after]) expect(new Set(index.keys())).toEqual(new Set(ids));
    expect([...before.values()].filter((payload) => payload !== undefined)).toEqual([]);
    expect([...after.values()]).not.toContain(undefined);
    await tables.write({ op: 'put', table: 'deadLetters', row: { ...deadLetters[0], id: 'new' } });
    for (const index of ['byType', 'byType2']) expect((await listed(client, TableName, index)).has('new'), index).toBe(true);
  });

  it('is dropped under its old name when no release reads that any more', async () => {
    const { client, TableName } = await deadLettersOfBefore();
    await change(client, TableName, created);
    await change(client, TableName, dropped('byType'));
    await expect(listed(client, TableName, 'byType')).rejects.toThrow('byType');
    expect((await listed(client, TableName, 'byType2')).size).toBe(deadLetters.length);
  });
});
