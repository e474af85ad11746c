import { expect, test } from 'vitest';
import { StoreRefusedError, StoreUnavailableError } from '../../../shared/job/errors.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName, Write } from '../../../shared/ports/tables.ts';
import { answer, brokenConnection, serviceError, type Step } from '../../support/scripted-handler.ts';
import { scriptedTables } from './scripted-tables.ts';

const WRITES: readonly Write[] = [
  { op: 'delete', table: 'timers', key: { shard: '00', due: 'x' }, condition: { test: 'equals', attribute: 'rev', value: 1 } },
  { op: 'put', table: 'jobs', row: { id: 'a' }, condition: { test: 'absent', attribute: 'id' } },
];
const cancelled = (...codes: (string | { Code: string; Item: object })[]): Step =>
  serviceError('TransactionCanceledException', {
    CancellationReasons: codes.map((code) => (typeof code === 'string' ? { Code: code } : code)),
  });
const OTHER_NAMES = Object.fromEntries(TABLE_NAMES.map((name) => [name, `other-${name}`])) as Record<TableName, string>;
const ROW = { Code: 'ConditionalCheckFailed', Item: { id: { S: 'a' }, rev: { N: '7' } } };

test('reasons come back in order, each failed condition with its row', async () => {
  const { tables, requests } = scriptedTables([cancelled('None', ROW)]);
  expect(await tables.transact(WRITES, 'token')).toEqual({
    applied: false,
    reasons: [{ code: 'none' }, { code: 'condition', row: { id: 'a', rev: 7 } }],
    attempts: 1,
  });
  expect(requests).toHaveLength(1);
});

test('a conflict is tried again with the same parameters and token, with growing and random waits', async () => {
  const { tables, requests, clock } = scriptedTables([
    cancelled('TransactionConflict', 'None'),
    cancelled('None', 'TransactionConflict'),
    answer(),
  ]);
  expect(await tables.transact(WRITES, 'token')).toEqual({ applied: true, attempts: 1 });
  expect(requests).toHaveLength(3);
  expect(requests[1]?.body).toEqual(requests[0]?.body);
  expect(requests[2]?.body).toEqual(requests[0]?.body);
  expect(clock.waits).toHaveLength(2);
  expect(clock.waits[0]).toBeLessThanOrEqual(25);
  expect(clock.waits[1]).toBeLessThanOrEqual(50);
});

test('a conflict that stays is an answer after five more tries', async () => {
  const { tables, requests } = scriptedTables([cancelled('None', 'TransactionConflict')]);
  expect(await tables.transact(WRITES, 'token')).toEqual({
    applied: false,
    reasons: [{ code: 'none' }, { code: 'conflict' }],
    attempts: 1,
  });
  expect(requests).toHaveLength(6);
});

test('a conflict that stays says nothing once an earlier attempt may have been applied', async () => {
  const { tables, requests } = scriptedTables([brokenConnection(), cancelled('None', 'TransactionConflict')]);
  await expect(tables.transact(WRITES, 'token')).rejects.toThrow(StoreUnavailableError);
  expect(requests).toHaveLength(7);
});

test.each(['ProvisionedThroughputExceeded', 'ThrottlingError', 'RequestLimitExceeded', 'InternalServerError'])(
  '%s is tried again, then the store is unavailable',
  async (code) => {
    const { tables, requests } = scriptedTables([cancelled('None', code)]);
    await expect(tables.transact(WRITES, 'token')).rejects.toThrow(StoreUnavailableError);
    expect(requests).toHaveLength(6);
  },
);

test.each(['ValidationError', 'ItemCollectionSizeLimitExceeded', 'ResourceNotFound', 'AccessDenied', 'SomethingNew'])(
  '%s refuses the transaction at once',
  async (code) => {
    const { tables, requests } = scriptedTables([cancelled('TransactionConflict', code)]);
    await expect(tables.transact(WRITES, 'token')).rejects.toThrow(StoreRefusedError);
    expect(requests).toHaveLength(1);
  },
);

test.each(['TransactionConflict', 'ThrottlingError', 'ValidationError'])(
  'beside a failed condition, %s is left for the next try',
  async (code) => {
    const { tables, requests } = scriptedTables([cancelled(code, ROW)]);
    expect(await tables.transact(WRITES, 'token')).toMatchObject({ reasons: [{ code: 'conflict' }, { code: 'condition' }] });
    expect(requests).toHaveLength(1);
  },
);

test('DuplicateItem is a failed condition', async () => {
  const { tables } = scriptedTables([cancelled('None', { ...ROW, Code: 'DuplicateItem' })]);
  expect(await tables.transact(WRITES, 'token')).toMatchObject({ reasons: [{ code: 'none' }, { code: 'condition', row: { id: 'a' } }] });
});

test('a cancellation without reasons is a refusal, because nothing says that trying again ends', async () => {
  const { tables } = scriptedTables([serviceError('TransactionCanceledException')]);
  await expect(tables.transact(WRITES, 'token')).rejects.toThrow(StoreRefusedError);
});

test('a token used for other writes is a refusal, also when the first reply was lost', async () => {
  const { tables } = scriptedTables([brokenConnection(), serviceError('IdempotentParameterMismatchException')]);
  await expect(tables.transact(WRITES, 'token')).rejects.toThrow(StoreRefusedError);
});

const NINE_MINUTES = 540_000;

test.each([
  ['finds its own work', cancelled('None', ROW)],
  ['would even be applied again', answer()],
])('no attempt starts later than nine minutes after the first, when it %s', async (_title, step) => {
  const script = scriptedTables([brokenConnection(() => script.clock.pass(NINE_MINUTES + 1)), step]);
  const outcome = script.tables.transact(WRITES, 'token');
  await expect(outcome).rejects.toThrow(StoreUnavailableError);
  await expect(outcome).rejects.toThrow('the outcome is unknown');
  expect(script.requests).toHaveLength(1);
});

test('a refusal that is read after the token may have been forgotten is no lost race', async () => {
  const late: Step = async (request) => {
    script.clock.pass(2 * 60_000);
    return cancelled('None', ROW)(request);
  };
  const script = scriptedTables([brokenConnection(() => script.clock.pass(8 * 60_000)), late]);
  await expect(script.tables.transact(WRITES, 'token')).rejects.toThrow('the outcome is unknown');
  expect(script.requests).toHaveLength(2);
});

test('a refusal of the only attempt that can have been applied is believed however late it is read', async () => {
  const script = scriptedTables([
    cancelled('TransactionConflict', 'None'),
    (request) => {
      script.clock.pass(NINE_MINUTES + 60_000);
      return cancelled('None', ROW)(request);
    },
  ]);
  expect(await script.tables.transact(WRITES, 'token')).toMatchObject({ applied: false, attempts: 1 });
});

test('our own tries count from the first of them all', async () => {
  const script = scriptedTables([
    brokenConnection(() => script.clock.pass(5 * 60_000)),
    (request) => {
      script.clock.pass(4 * 60_000 + 1);
      return cancelled('TransactionConflict', 'None')(request);
    },
  ]);
  await expect(script.tables.transact(WRITES, 'token')).rejects.toThrow('the outcome is unknown');
  expect(script.requests).toHaveLength(2);
});

test.each(['AccessDeniedException', 'ResourceNotFoundException'])('%s after a lost reply and a conflict is no refusal', async (name) => {
  const { tables } = scriptedTables([brokenConnection(), cancelled('TransactionConflict', 'None'), serviceError(name)]);
  await expect(tables.transact(WRITES, 'token')).rejects.toThrow(StoreUnavailableError);
});

test.each(['TransactionConflict', 'ThrottlingError'])('the waits after %s end in time for a last try before the deadline', async (code) => {
  const ends = Date.UTC(2026, 0, 1) + 1_000;
  const script = scriptedTables([cancelled('None', code)], {
    deadlineAt: () => ends,
    entropy: { ...seededEntropy(1), random: () => 0.999 },
  });
  const outcome = await script.tables.transact(WRITES, 'token').catch((error: unknown) => error);
  if (code === 'ThrottlingError') expect(outcome).toBeInstanceOf(StoreUnavailableError);
  expect(script.clock.now()).toBeLessThanOrEqual(ends - 100);
});

test('the request carries a token of at most 36 characters that is its own for each logical token', async () => {
  const { tables, requests } = scriptedTables([answer()]);
  await tables.transact(WRITES, 'fire/019b76da-a800-7a00-887f-bf7479cb86df/a rather long token');
  await tables.transact(WRITES, 'another');
  const tokens = requests.map((request) => String(request.body['ClientRequestToken']));
  for (const token of tokens) expect(token).toMatch(/^[\w-]{36}$/);
  expect(new Set(tokens).size).toBe(2);
});

test('deployments in one account do not share tokens', async () => {
  const [one, other] = [scriptedTables([answer()]), scriptedTables([answer()], { names: OTHER_NAMES })];
  await one.tables.transact(WRITES, 'token');
  await other.tables.transact(WRITES, 'token');
  expect(other.requests[0]?.body['ClientRequestToken']).not.toBe(one.requests[0]?.body['ClientRequestToken']);
});

test('every conditional write asks for the row that it meets, and no name or value stands in an expression', async () => {
  const { tables, requests } = scriptedTables([answer()]);
  await tables.transact(
    [
      ...WRITES,
      { op: 'update', table: 'control', key: { pk: 'p', sk: 's' }, set: { shard: 'reserved' }, remove: ['name'], add: { count: 1 } },
      { op: 'check', table: 'suspended', key: { id: 'a' }, condition: { test: 'absent', attribute: 'id' } },
    ],
    'token',
  );
  expect(requests[0]?.body['TransactItems']).toEqual([
    {
      Delete: {
        TableName: 't-timers',
        Key: { shard: { S: '00' }, due: { S: 'x' } },
        ConditionExpression: '#n0 = :v0',
        ExpressionAttributeNames: { '#n0': 'rev' },
        ExpressionAttributeValues: { ':v0': { N: '1' } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    {
      Put: {
        TableName: 't-jobs',
        Item: { id: { S: 'a' } },
        ConditionExpression: 'attribute_not_exists(#n0)',
        ExpressionAttributeNames: { '#n0': 'id' },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    {
      Update: {
        TableName: 't-control',
        Key: { pk: { S: 'p' }, sk: { S: 's' } },
        UpdateExpression: 'SET #n0 = :v0 REMOVE #n1 ADD #n2 :v1',
        ExpressionAttributeNames: { '#n0': 'shard', '#n1': 'name', '#n2': 'count' },
        ExpressionAttributeValues: { ':v0': { S: 'reserved' }, ':v1': { N: '1' } },
      },
    },
    {
      ConditionCheck: {
        TableName: 't-suspended',
        Key: { id: { S: 'a' } },
        ConditionExpression: 'attribute_not_exists(#n0)',
        ExpressionAttributeNames: { '#n0': 'id' },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
  ]);
});
