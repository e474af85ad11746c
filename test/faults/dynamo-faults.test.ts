import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { aimAt, type Fault } from '../../testing/index.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { testDynamo } from '../support/emulators.ts';
import { type FaultyDynamo, faultyDynamo } from '../support/faulty-clients.ts';

const put = ({ names }: FaultyDynamo, id: string, fresh = false): PutItemCommand =>
  new PutItemCommand({
    TableName: names.jobs,
    Item: { id: { S: id } },
    ...(fresh ? { ConditionExpression: 'attribute_not_exists(id)' } : {}),
  });
const count = ({ names }: FaultyDynamo): UpdateItemCommand =>
  new UpdateItemCommand({
    TableName: names.jobs,
    Key: { id: { S: 'counter' } },
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
    ReturnValues: 'ALL_NEW',
  });
async function stored({ client, names }: FaultyDynamo, id: string): Promise<object | undefined> {
  return (await client.send(new GetItemCommand({ TableName: names.jobs, Key: { id: { S: id } }, ConsistentRead: true }))).Item;
}

describe('a DynamoDB client under faults', () => {
  it('loses a reply: the write is applied, and the SDK applies it once more', async () => {
    const dynamo = await faultyDynamo();
    dynamo.faults.next(aimAt('UpdateItem'), 'lost-reply');
    const { Attributes: counter, $metadata } = await dynamo.client.send(count(dynamo));
    expect([counter?.['n']?.N, $metadata.attempts]).toEqual(['2', 2]);
    expect(dynamo.faults.log).toEqual([{ fault: 'lost-reply', service: 'DynamoDB', operation: 'UpdateItem', attempt: 1 }]);
  });

  it('loses a reply of a conditional write: the second attempt reports a failed condition', async () => {
    const dynamo = await faultyDynamo();
    dynamo.faults.next(aimAt('PutItem', dynamo.names.jobs), 'lost-reply');
    const error = await dynamo.client.send(put(dynamo, 'a', true)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect((error as ConditionalCheckFailedException).$metadata.attempts).toBe(2);
    expect(await stored(dynamo, 'a')).toBeDefined();
  });

  it.each<[Fault, boolean, string, number]>([
    ['lost-for-good', true, 'TimeoutError', 4],
    ['unavailable', false, 'TimeoutError', 4],
    [{ fault: 'server-error', applied: true }, true, 'InternalServerError', 4],
    ['server-error', false, 'InternalServerError', 4],
    ['conflict', false, 'TransactionConflictException', 1],
  ])('%j: applied %s, ends as %s after %i attempts', async (fault, applied, name, attempts) => {
    const dynamo = await faultyDynamo();
    dynamo.faults.next(aimAt('PutItem'), fault, typeof fault === 'object' || fault === 'server-error' ? 4 : 1);
    await expect(dynamo.client.send(put(dynamo, 'a'))).rejects.toMatchObject({ name, $metadata: { attempts } });
    expect(dynamo.faults.pending()).toBe(0);
    expect((await stored(dynamo, 'a')) !== undefined).toBe(applied);
  });

  it.each<Fault>(['reset', 'throttle', 'server-error', 'signature-expired', { fault: 'slow', ms: 1 }, { fault: 'late', ms: 1 }])(
    '%j once: the SDK heals it',
    async (fault) => {
      const dynamo = await faultyDynamo();
      dynamo.faults.next(aimAt('UpdateItem'), fault);
      expect((await dynamo.client.send(count(dynamo))).Attributes?.['n']?.N).toBe('1');
      expect(dynamo.faults.pending()).toBe(0);
    },
  );

  it('meets conflicts as errors of the SDK’s own classes, with a reason for each item', async () => {
    const dynamo = await faultyDynamo();
    const { client, faults, names } = dynamo;
    const Put = (id: string) => ({ Put: { TableName: names.jobs, Item: { id: { S: id } } } });
    const transact = new TransactWriteItemsCommand({ TransactItems: [Put('a'), Put('b'), Put('c')] });
    faults.next(aimAt('TransactWriteItems', names.jobs), { fault: 'conflict', entries: (index) => index > 0 });
    const error = await client.send(transact).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransactionCanceledException);
    const codes = (error as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code);
    expect(codes).toEqual(['None', 'TransactionConflict', 'TransactionConflict']);
    faults.next(aimAt('PutItem'), 'conflict');
    await expect(client.send(put(dynamo, 'a'))).rejects.toBeInstanceOf(TransactionConflictException);
    faults.next(aimAt('TransactWriteItems'), 'throttle');
    await expect(client.send(transact)).rejects.toMatchObject({ CancellationReasons: [{ Code: 'ThrottlingError' }, {}, {}] });
    expect(await stored(dynamo, 'a')).toBeUndefined();
  });

  it('aims at statements by the table that they name', async () => {
    const dynamo = await faultyDynamo();
    const { client, faults, names } = dynamo;
    await client.send(put(dynamo, 'a'));
    const Statement = `DELETE FROM "${names.jobs}" WHERE "id"=?`;
    const remove = new BatchExecuteStatementCommand({ Statements: [{ Statement, Parameters: [{ S: 'a' }] }] });
    faults.next(aimAt('BatchExecuteStatement', names.timers), 'lost-for-good');
    faults.next(aimAt('BatchExecuteStatement', names.jobs), 'lost-reply');
    expect((await client.send(remove)).$metadata.attempts).toBe(2);
    expect(faults.pending()).toBe(1);
  });

  it('leaves a part of a batch unprocessed, and never all of it', async () => {
    const dynamo = await faultyDynamo();
    const { client, faults, names } = dynamo;
    const PutRequest = (id: string) => ({ PutRequest: { Item: { id: { S: id } } } });
    faults.next(aimAt('BatchWriteItem'), { fault: 'partial', entries: () => true });
    const requests = ['a', 'b', 'c'].map(PutRequest);
    const { UnprocessedItems: left } = await client.send(new BatchWriteItemCommand({ RequestItems: { [names.jobs]: requests } }));
    expect(left?.[names.jobs]).toEqual([PutRequest('a'), PutRequest('b')]);
    expect([await stored(dynamo, 'a'), await stored(dynamo, 'c')]).toEqual([undefined, { id: { S: 'c' } }]);
    faults.next(aimAt('BatchGetItem'), { fault: 'partial', entries: (index) => index === 1 });
    const Keys = ['c', 'd'].map((id) => ({ id: { S: id } }));
    const got = await client.send(new BatchGetItemCommand({ RequestItems: { [names.jobs]: { Keys } } }));
    expect(got.Responses?.[names.jobs]).toEqual([{ id: { S: 'c' } }]);
    expect(got.UnprocessedKeys?.[names.jobs]?.Keys).toEqual([{ id: { S: 'd' } }]);
  });

  it('lets others in before a call, and while a reply is lost', async () => {
    const dynamo = await faultyDynamo();
    const { client, faults } = dynamo;
    const seen: unknown[] = [];
    faults.before(aimAt('PutItem'), async () => seen.push(await stored(dynamo, 'a')));
    faults.next(aimAt('PutItem'), { fault: 'lost-reply', meanwhile: async () => seen.push(await stored(dynamo, 'a')) });
    await client.send(put(dynamo, 'a'));
    expect(seen).toEqual([undefined, { id: { S: 'a' } }]);
  });

  it('is let alone by faults that aim at others, or when they were stopped', async () => {
    const dynamo = await faultyDynamo();
    const { client, faults } = dynamo;
    faults.next(aimAt('PutItem', 'another-table'), 'unavailable');
    faults.next(aimAt('UpdateItem'), 'partial');
    faults.rate('conflict', 1, aimAt('DeleteItem'));
    await client.send(put(dynamo, 'a'));
    expect([faults.pending(), faults.counts()]).toEqual([2, {}]);
    faults.rate('unavailable', 1);
    faults.stop();
    await client.send(put(dynamo, 'a'));
    expect([faults.pending(), faults.counts()]).toEqual([0, {}]);
  });

  it('whose machine’s clock is wrong is refused once, and the SDK signs by AWS’s time from then on', async () => {
    const dynamo = await faultyDynamo();
    const { endpoint } = await testDynamo();
    const skewed = dynamo.faults.under(createDynamoClient({ ...EMULATOR_ACCESS, endpoint }), { skewMs: 600_000 });
    onTestFinished(() => skewed.destroy());
    expect((await skewed.send(put(dynamo, 'a'))).$metadata.attempts).toBe(2);
    expect((await skewed.send(put(dynamo, 'a'))).$metadata.attempts).toBe(1);
    expect(Math.abs(skewed.config.systemClockOffset + 600_000)).toBeLessThan(5_000);
  });
});
