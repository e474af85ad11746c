import { expect, onTestFinished, test } from 'vitest';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { beginsWith, equals } from '../../testing/contract/condition-words.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { freshTables, testDynamo } from '../support/emulators.ts';
import { losingHandler } from '../support/losing-handler.ts';

/** Tables in Dynoxide over a connection that loses the first reply to a write. */
async function openLosing(): Promise<Tables> {
  const { names } = await freshTables();
  const { endpoint } = await testDynamo();
  let lost = 0;
  const requestHandler = losingHandler((operation) => operation !== 'GetItem' && operation !== 'PutItem' && (lost += 1) === 1);
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint, requestHandler });
  onTestFinished(() => client.destroy());
  const tables = createDynamoTables({ client, names, clock: systemClock, entropy: systemEntropy });
  await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', lockOwner: 'queue/0/t' } });
  return tables;
}

test('a claim whose reply was lost looks like a lost race, but shows its own owner and two attempts', async () => {
  const tables = await openLosing();
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: { id: 'a' },
    set: { lockOwner: 'run/mine' },
    condition: beginsWith('lockOwner', 'queue/'),
  });
  expect(outcome).toEqual({ applied: false, row: { id: 'a', lockOwner: 'run/mine' }, attempts: 2 });
});

test('a completion whose reply was lost meets no row at its second attempt', async () => {
  const tables = await openLosing();
  const outcome = await tables.write({ op: 'delete', table: 'jobs', key: { id: 'a' }, condition: equals('lockOwner', 'queue/0/t') });
  expect(outcome).toEqual({ applied: false, attempts: 2 });
});

test('a transaction whose reply was lost is applied once and says so', async () => {
  const tables = await openLosing();
  const writes: Write[] = [
    { op: 'delete', table: 'jobs', key: { id: 'a' }, condition: equals('lockOwner', 'queue/0/t') },
    { op: 'update', table: 'control', key: { pk: 'p', sk: 's' }, set: {}, add: { n: 1 } },
  ];
  expect(await tables.transact(writes, 'token')).toEqual({ applied: true, attempts: 2 });
  expect(await tables.get('control', { pk: 'p', sk: 's' })).toMatchObject({ n: 1 });
});
