import { expect, test } from 'vitest';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { freshTables } from '../support/emulators.ts';

const PUT: Write = { op: 'put', table: 'jobs', row: { id: 'a' }, condition: { test: 'absent', attribute: 'id' } };

interface Subject {
  readonly tables: Tables;
  /** A user's own item, which is written if there is none with its id. */
  readonly item: unknown;
}

async function inDynamo(): Promise<Subject> {
  const { client, names } = await freshTables();
  const tables = createDynamoTables({ client, names, clock: systemClock, entropy: systemEntropy });
  const Item = { id: { S: 'own' } };
  return { tables, item: { Put: { TableName: names.suspended, Item, ConditionExpression: 'attribute_not_exists(id)' } } };
}

async function inMemory(): Promise<Subject> {
  let written = false;
  const tables = createMemoryTables({ beside: () => !written && (written = true) });
  return { tables, item: 'own' };
}

test.each([
  ['memory', inMemory],
  ['DynamoDB', inDynamo],
] as const)('in %s items of a user are applied with the writes or not at all, and their reasons follow', async (_, open) => {
  const { tables, item } = await open();
  expect(await tables.transact([PUT], 'one', { beside: [item] })).toMatchObject({ applied: true });
  const again: Write = { op: 'put', table: 'jobs', row: { id: 'b' } };
  expect(await tables.transact([again], 'two', { beside: [item] })).toMatchObject({
    applied: false,
    reasons: [{ code: 'none' }, { code: 'condition' }],
  });
  expect(await tables.get('jobs', { id: 'b' })).toBeUndefined();
  expect(await tables.transact([PUT], 'three', { beside: [item] })).toMatchObject({ applied: false, reasons: [{ code: 'condition' }, {}] });
});
