import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { StoreRefusedError } from '../../../shared/job/errors.ts';
import type { Consumed } from '../../../shared/adapters/dynamodb/caller.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { Row, TableName } from '../../../shared/ports/tables.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { answer, brokenConnection, scriptedHandler, type SeenRequest, serviceError, type Step } from '../../support/scripted-handler.ts';
import { scriptedTables } from './scripted-tables.ts';

const rows = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ id: `id-${n}`, n }));
const requested = (request: SeenRequest): unknown[] => (request.body['RequestItems'] as Record<string, unknown[]>)['t-jobs'] ?? [];
/** Takes all of a batch but its last `count` rows. */
const leaving =
  (count: number): Step =>
  (request) => ({
    status: 200,
    body: { UnprocessedItems: count === 0 ? {} : { 't-jobs': requested(request).slice(-count) } },
  });

test('rows that DynamoDB left unprocessed are sent again, and only those', async () => {
  const { tables, requests, clock } = scriptedTables([leaving(3), leaving(1), leaving(0)]);
  expect(await tables.putAll('jobs', rows(10))).toEqual([]);
  expect(requests.map((request) => requested(request).length)).toEqual([10, 3, 1]);
  expect(clock.waits).toHaveLength(2);
});

test('rows of a table that is named by its ARN are sent again too, whatever DynamoDB calls it in its answer', async () => {
  const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/t-jobs';
  const asked = (request: SeenRequest): unknown[] => (request.body['RequestItems'] as Record<string, unknown[]>)[arn] ?? [];
  const names = Object.fromEntries(TABLE_NAMES.map((name) => [name, arn])) as Record<TableName, string>;
  const { tables, requests } = scriptedTables(
    [(request) => ({ status: 200, body: { UnprocessedItems: { 't-jobs': asked(request).slice(-1) } } }), answer({})],
    { names },
  );
  expect(await tables.putAll('jobs', rows(3))).toEqual([]);
  expect(requests.map((request) => asked(request).length)).toEqual([3, 1]);
});

test('rows that stay unprocessed are given back after several tries', async () => {
  const { tables, requests } = scriptedTables([leaving(2)]);
  expect(await tables.putAll('jobs', rows(5))).toEqual([
    { id: 'id-3', n: 3 },
    { id: 'id-4', n: 4 },
  ]);
  expect(requests).toHaveLength(6);
});

test('a batch that is throttled as a whole is sent again and given back, the other batches are written', async () => {
  const throttled = serviceError('ProvisionedThroughputExceededException');
  const requestHandler = scriptedHandler((request) =>
    JSON.stringify(request.body).includes('"id-30"') ? throttled(request) : leaving(0)(request),
  );
  const { tables } = scriptedTables([], { client: new DynamoDBClient({ ...EMULATOR_ACCESS, requestHandler, maxAttempts: 1 }) });
  expect(await tables.putAll('jobs', rows(60))).toEqual(rows(60).slice(25, 50));
  expect(requestHandler.requests.map((request) => requested(request).length).toSorted((a, b) => a - b)).toEqual([
    10, 25, 25, 25, 25, 25, 25, 25,
  ]);
});

test('a batch that is refused is an error if no row can have been written', async () => {
  const script = scriptedTables([serviceError('ValidationException')]);
  await expect(script.tables.putAll('jobs', rows(30))).rejects.toThrow(StoreRefusedError);
  expect(script.requests).toHaveLength(2);
});

test('the rows of a refused batch are given back if others were written: an error would say that nothing was', async () => {
  const script = scriptedTables([
    (request) => (requested(request).length < 25 ? leaving(0) : serviceError('ValidationException'))(request),
  ]);
  expect(await script.tables.putAll('jobs', rows(30))).toEqual(rows(25));
});

test.each<[string, Step]>([
  ['after DynamoDB took a part of it', leaving(3)],
  ['after an attempt without an answer', brokenConnection()],
])('a batch that is refused %s gives back what may not be written', async (title, first) => {
  const { tables } = scriptedTables([first, serviceError('AccessDeniedException')]);
  expect(await tables.putAll('jobs', rows(5))).toEqual(title.startsWith('after D') ? rows(5).slice(2) : rows(5));
});

test('large rows go in batches of about a megabyte, two of them at once', async () => {
  let [underWay, most] = [0, 0];
  const script = scriptedTables([
    async (request) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return leaving(0)(request);
    },
  ]);
  const large = Array.from({ length: 25 }, (_, n) => ({ id: `id-${n}`, payload: 'x'.repeat(256_000) }));
  expect(await script.tables.putAll('jobs', large)).toEqual([]);
  expect(script.requests.map((request) => requested(request).length)).toEqual([3, 3, 3, 3, 3, 3, 3, 3, 1]);
  expect(most).toBe(2);
});

test('a page goes on behind the key that it is given', async () => {
  const { tables, requests } = scriptedTables([answer({ Items: [] })]);
  await tables.query({ table: 'timers', partition: '00', limit: 5, after: { shard: '00', due: 'x' } });
  await tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 5, after: { id: 'a' } });
  expect(requests.map(({ body }) => body['ExclusiveStartKey'])).toEqual([{ shard: { S: '00' }, due: { S: 'x' } }, { id: { S: 'a' } }]);
});

test('a query is consistent where that is asked for, and eventually consistent otherwise', async () => {
  const { tables, requests } = scriptedTables([answer({ Items: [] })]);
  for (const consistent of [true, false]) await tables.query({ table: 'timers', partition: '00', limit: 5, consistent });
  expect(requests.map(({ body }) => body['ConsistentRead'])).toEqual([true, false]);
});

test('a failed condition without its row is looked up where there must be one', async () => {
  const { tables, requests } = scriptedTables([
    serviceError('ConditionalCheckFailedException'),
    answer({ Item: { id: { S: 'a' }, rev: { N: '1' } } }),
  ]);
  const condition = {
    test: 'any',
    of: [
      { test: 'absent', attribute: 'id' },
      { test: 'equals', attribute: 'rev', value: 2 },
    ],
  } as const;
  expect(await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: 1 }, condition })).toEqual({
    applied: false,
    row: { id: 'a', rev: 1 },
    attempts: 1,
  });
  expect(requests[1]).toMatchObject({ operation: 'GetItem', body: { Key: { id: { S: 'a' } }, ConsistentRead: true } });
});

test('where the condition fails without a row too, its absence is believed', async () => {
  const { tables, requests } = scriptedTables([serviceError('ConditionalCheckFailedException')]);
  const condition = { test: 'equals', attribute: 'lockOwner', value: 'run/me' } as const;
  expect(await tables.write({ op: 'delete', table: 'jobs', key: { id: 'a' }, condition })).toEqual({ applied: false, attempts: 1 });
  expect(requests).toHaveLength(1);
});

test('values of kinds that no row holds are read as JSON text', async () => {
  const { tables } = scriptedTables([
    answer({
      Item: {
        id: { S: 'a' },
        map: { M: { n: { N: '1' }, deep: { L: [{ BOOL: true }, { NULL: true }] } } },
        set: { SS: ['x', 'y'] },
        numbers: { NS: ['1', '2'] },
        bytes: { B: 'AQI=' },
        nothing: { NULL: true },
      },
    }),
  ]);
  expect(await tables.get('jobs', { id: 'a' })).toEqual({
    id: 'a',
    map: '{"n":1,"deep":[true,null]}',
    set: '["x","y"]',
    numbers: '[1,2]',
    bytes: '"AQI="',
    nothing: 'null',
  });
});

test('consumed capacity is requested and reported only where it is wanted', async () => {
  const told: Consumed[] = [];
  const capacity = (units: number): Step => answer({ ConsumedCapacity: { TableName: 't-jobs', CapacityUnits: units } });
  const watched = scriptedTables([capacity(1), capacity(0.5)], { onConsumed: (consumed) => void told.push(consumed) });
  await watched.tables.write({ op: 'put', table: 'jobs', row: { id: 'a' } });
  await watched.tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 1 });
  expect(told).toEqual([
    { table: 't-jobs', units: 1, kind: 'write', operation: 'put' },
    { table: 't-jobs', units: 0.5, kind: 'read', operation: 'scan' },
  ]);
  expect(watched.requests[0]?.body).toMatchObject({ ReturnConsumedCapacity: 'TOTAL' });
  const unwatched = scriptedTables([answer()]);
  await unwatched.tables.write({ op: 'put', table: 'jobs', row: { id: 'a' } });
  expect(unwatched.requests[0]?.body).not.toHaveProperty('ReturnConsumedCapacity');
});
