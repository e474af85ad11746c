import { expect, test } from 'vitest';
import { backOff } from '../../../shared/adapters/aws/backoff.ts';
import type { Consumed } from '../../../shared/adapters/dynamodb/caller.ts';
import { createDynamoClient } from '../../../shared/adapters/dynamodb/client.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { Write } from '../../../shared/ports/tables.ts';
import { createSqsClient } from '../../../shared/adapters/sqs/client.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { answer, brokenConnection, serviceError, type Step } from '../../support/scripted-handler.ts';
import { type ScriptedTables, scriptedTables } from './scripted-tables.ts';

const DELETE: Write & { readonly op: 'delete' } = { op: 'delete', table: 'jobs', key: { id: 'a' } };
/** Chance that always draws the longest wait. */
const entropy = { ...seededEntropy(1), random: () => 1 };
const cancelled = (...codes: readonly string[]): Step =>
  serviceError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

test.each<[string, Step, (script: ScriptedTables) => Promise<unknown>, readonly number[]]>([
  [
    'a write that meets a transaction',
    serviceError('TransactionConflictException'),
    ({ tables }) => tables.write(DELETE),
    [25, 50, 100, 200, 400],
  ],
  [
    'a transaction that meets another',
    cancelled('TransactionConflict'),
    ({ tables }) => tables.transact([DELETE], 't'),
    [25, 50, 100, 200, 400],
  ],
  [
    'a transaction that is throttled',
    cancelled('ThrottlingError'),
    ({ tables }) => tables.transact([DELETE], 't'),
    [250, 500, 1_000, 2_000, 2_000],
  ],
  [
    'a batch of which something is left',
    answer({ UnprocessedItems: { 't-jobs': [{ PutRequest: { Item: { id: { S: 'a' } } } }] } }),
    ({ tables }) => tables.putAll('jobs', [{ id: 'a' }]),
    [50, 100, 200, 400, 800],
  ],
])('%s waits twice as long before each further try', async (_name, step, ask, waits) => {
  const script = scriptedTables([step], { entropy });
  await ask(script).catch(() => {});
  expect(script.clock.waits).toEqual(waits);
});

test('a wait between two tries leaves time for the second', async () => {
  const clock = new JumpingClock();
  expect(await backOff({ clock, entropy }, 3, 100, clock.now() + 300)).toBe(true);
  expect(clock.waits).toEqual([200]);
});

test('a refusal soon after an attempt without an answer is an answer, which says that there were two', async () => {
  const script = scriptedTables([brokenConnection(() => script.clock.pass(60_000)), cancelled('ConditionalCheckFailed')]);
  expect(await script.tables.transact([DELETE], 't')).toEqual({ applied: false, reasons: [{ code: 'condition' }], attempts: 2 });
});

test("each of the user's own items beside a transaction has its own reason", async () => {
  const { tables } = scriptedTables([cancelled('None', 'None', 'ConditionalCheckFailed')]);
  const beside = [{ Put: { TableName: 'mine', Item: {} } }, { Put: { TableName: 'mine', Item: {} } }];
  expect(await tables.transact([DELETE], 't', { beside })).toMatchObject({
    reasons: [{ code: 'none' }, { code: 'none' }, { code: 'condition' }],
  });
});

test('what each kind of request consumed is told', async () => {
  const told: string[] = [];
  const onConsumed = ({ kind, operation }: Consumed): void => void told.push(`${kind} ${operation}`);
  const { tables } = scriptedTables([answer({ ConsumedCapacity: { TableName: 't', CapacityUnits: 1 } })], { onConsumed });
  await tables.get('jobs', { id: 'a' });
  await tables.write(DELETE);
  await tables.query({ table: 'timers', partition: '00', limit: 1 });
  await tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 1 });
  const several = scriptedTables([answer({ ConsumedCapacity: [{ TableName: 't', CapacityUnits: 1 }] })], { onConsumed });
  await several.tables.transact([DELETE], 't');
  await several.tables.putAll('jobs', [{ id: 'a' }]);
  expect(told).toEqual(['read get', 'write delete', 'read query', 'read scan', 'write transact', 'write batch']);
});

test.each([createDynamoClient, createSqsClient])('a client copies nothing of its calls for a logger that is not there (%o)', (create) => {
  const client = create({ region: 'eu-central-1' });
  expect(client.middlewareStack.identify().filter((name) => name.includes('logger'))).toEqual([]);
  client.destroy();
});
