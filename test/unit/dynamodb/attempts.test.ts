import { createServer } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { AttemptTooLateError } from '../../../shared/adapters/aws/attempt-guard.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { StoreRefusedError, StoreUnavailableError } from '../../../shared/job/errors.ts';
import { createDynamoClient } from '../../../shared/adapters/dynamodb/client.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { SingleWrite } from '../../../shared/ports/tables.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { answer, brokenConnection, scriptedHandler, serviceError, type Step } from '../../support/scripted-handler.ts';
import { scriptedTables } from './scripted-tables.ts';

const CLAIM: SingleWrite = {
  op: 'update',
  table: 'jobs',
  key: { id: 'a' },
  set: { lockOwner: 'run/mine' },
  condition: { test: 'beginsWith', attribute: 'lockOwner', value: 'queue/' },
};
const PUT: SingleWrite = { op: 'put', table: 'jobs', row: { id: 'a' } };

test('a write whose reply was lost and that then meets its own result says that it took two attempts', async () => {
  const { tables } = scriptedTables([
    brokenConnection(),
    serviceError('ConditionalCheckFailedException', { Item: { id: { S: 'a' }, lockOwner: { S: 'run/mine' } } }),
  ]);
  expect(await tables.write(CLAIM)).toEqual({ applied: false, row: { id: 'a', lockOwner: 'run/mine' }, attempts: 2 });
});

test('a delete whose reply was lost meets no row, and two attempts tell it from a lost race', async () => {
  const { tables } = scriptedTables([brokenConnection(), serviceError('ConditionalCheckFailedException')]);
  const condition = { test: 'equals', attribute: 'lockOwner', value: 'run/mine' } as const;
  expect(await tables.write({ op: 'delete', table: 'jobs', key: { id: 'a' }, condition })).toEqual({ applied: false, attempts: 2 });
});

test('an applied write counts the attempts before it', async () => {
  const { tables } = scriptedTables([brokenConnection(), answer({ Attributes: { id: { S: 'a' } } })]);
  expect(await tables.write(CLAIM)).toEqual({ applied: true, row: { id: 'a' }, attempts: 2 });
});

test('an attempt that another transaction turned away was not applied and is not counted', async () => {
  const { tables, clock, requests } = scriptedTables([
    serviceError('TransactionConflictException'),
    serviceError('TransactionConflictException'),
    serviceError('ConditionalCheckFailedException'),
  ]);
  expect(await tables.write(CLAIM)).toEqual({ applied: false, attempts: 1 });
  expect(requests).toHaveLength(3);
  expect(clock.waits).toHaveLength(2);
});

test.each<[string, Step, number]>([
  ['was throttled', serviceError('ProvisionedThroughputExceededException'), 1],
  ['was throttled by status', serviceError('Whatever', {}, 429), 1],
  ['was signed too early', serviceError('InvalidSignatureException', { message: 'Signature expired: x' }), 1],
  ['had no answer', brokenConnection(), 2],
  ['met an error of the service', serviceError('InternalServerError', {}, 500), 2],
])('a first attempt that %s makes a failed condition sure or unsure', async (_title, first, attempts) => {
  const { tables, requests } = scriptedTables([first, serviceError('ConditionalCheckFailedException')]);
  const outcome = await tables.write(CLAIM).catch((error: unknown) => error);
  expect(requests).toHaveLength(2);
  expect(outcome).toEqual({ applied: false, attempts });
});

test('a write whose reply was lost still counts that attempt after a conflict', async () => {
  const { tables } = scriptedTables([
    brokenConnection(),
    serviceError('TransactionConflictException'),
    serviceError('ConditionalCheckFailedException'),
  ]);
  expect(await tables.write(CLAIM)).toEqual({ applied: false, attempts: 2 });
});

test('a lost reply, then a conflict, then a refusal does not say that nothing was written', async () => {
  const { tables } = scriptedTables([
    brokenConnection(),
    serviceError('TransactionConflictException'),
    serviceError('AccessDeniedException'),
  ]);
  await expect(tables.write(PUT)).rejects.toThrow(StoreUnavailableError);
});

test('the waits between conflicts end in time for a last try before the deadline', async () => {
  const ends = Date.UTC(2026, 0, 1) + 500;
  const script = scriptedTables([serviceError('TransactionConflictException')], {
    deadlineAt: () => ends,
    entropy: { ...seededEntropy(1), random: () => 0.999 },
  });
  await expect(script.tables.write(CLAIM)).rejects.toThrow(StoreUnavailableError);
  expect(script.clock.now()).toBeLessThanOrEqual(ends - 100);
  expect(script.requests.length).toBeGreaterThan(3);
});

test('a write that meets transactions again and again gives up after five more tries', async () => {
  const { tables, requests } = scriptedTables([serviceError('TransactionConflictException')]);
  await expect(tables.write(CLAIM)).rejects.toThrow(StoreUnavailableError);
  expect(requests).toHaveLength(6);
});

test('a write makes no attempt after its window, although the first one was in time', async () => {
  const script = scriptedTables([brokenConnection(() => script.clock.pass(10_001)), answer()]);
  const write = script.tables.write(PUT, { notAfter: script.clock.now() + 10_000 });
  await expect(write).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', cause: expect.any(AttemptTooLateError) as unknown });
  expect(script.requests).toHaveLength(1);
});

test('a write is tried again within its window', async () => {
  const script = scriptedTables([brokenConnection(() => script.clock.pass(10_000)), answer()]);
  expect(await script.tables.write(PUT, { notAfter: script.clock.now() + 10_000 })).toEqual({ applied: true, attempts: 2 });
});

test.each(['transact', 'putAll'] as const)('the window holds for %s too', async (verb) => {
  const script = scriptedTables([brokenConnection(() => script.clock.pass(10_001)), answer()]);
  const window = { notAfter: script.clock.now() + 10_000 };
  if (verb === 'putAll') expect(await script.tables.putAll('jobs', [{ id: 'a' }], window)).toEqual([{ id: 'a' }]);
  else await expect(script.tables.transact([PUT], 'token', window)).rejects.toThrow(StoreUnavailableError);
  expect(script.requests).toHaveLength(1);
});

test.each(['write', 'transact', 'putAll'] as const)(
  '%s is not tried again once the clock was set back, because nobody knows how late it is',
  async (verb) => {
    const script = scriptedTables([brokenConnection(() => script.clock.pass(-60_000)), answer()]);
    const window = { notAfter: script.clock.now() + 10_000 };
    if (verb === 'write') await expect(script.tables.write(PUT, window)).rejects.toThrow(StoreUnavailableError);
    else if (verb === 'putAll') expect(await script.tables.putAll('jobs', [{ id: 'a' }], window)).toEqual([{ id: 'a' }]);
    else await expect(script.tables.transact([PUT], 'token')).rejects.toThrow(StoreUnavailableError);
    expect(script.requests).toHaveLength(1);
  },
);

test('a clock that is set back a little again and again is noticed', async () => {
  const script = scriptedTables([
    brokenConnection(() => script.clock.pass(-1_900)),
    brokenConnection(() => script.clock.pass(-1_900)),
    answer(),
  ]);
  await expect(script.tables.write(PUT, { notAfter: script.clock.now() + 10_000 })).rejects.toThrow(StoreUnavailableError);
  expect(script.requests).toHaveLength(2);
});

test('a write without a window, or within the difference of clocks, is tried again although the clock was set back', async () => {
  const far = scriptedTables([brokenConnection(() => far.clock.pass(-60_000)), answer()]);
  expect(await far.tables.write(PUT)).toEqual({ applied: true, attempts: 2 });
  const near = scriptedTables([brokenConnection(() => near.clock.pass(-2_000)), answer()]);
  expect(await near.tables.write(PUT, { notAfter: near.clock.now() + 10_000 })).toEqual({ applied: true, attempts: 2 });
});

test('a late attempt is not even signed, so nothing of it can be sent later', async () => {
  let signed = 0;
  const handler = scriptedHandler(
    brokenConnection(() => script.clock.pass(2)),
    answer(),
  );
  const signer = {
    sign: async <Request>(request: Request): Promise<Request> => {
      signed += 1;
      return request;
    },
  };
  const script = scriptedTables([], {
    client: new DynamoDBClient({ ...EMULATOR_ACCESS, requestHandler: handler, signer }),
  });
  await expect(script.tables.write(PUT, { notAfter: script.clock.now() + 1 })).rejects.toThrow(StoreUnavailableError);
  expect(signed).toBe(1);
});

test('each attempt may last as long as the invocation does, at most five seconds', async () => {
  const ends = Date.UTC(2026, 0, 1) + 7_000;
  const script = scriptedTables(
    [brokenConnection(() => script.clock.pass(4_000)), brokenConnection(() => script.clock.pass(2_500)), answer()],
    { deadlineAt: () => ends },
  );
  await script.tables.write(PUT);
  expect(script.requests.map((request) => request.requestTimeout)).toEqual([5_000, 3_000, 500]);
});

test('no attempt starts when the invocation has ended', async () => {
  const script = scriptedTables([answer()], { deadlineAt: () => Date.UTC(2026, 0, 1) - 1 });
  await expect(script.tables.get('jobs', { id: 'a' })).rejects.toThrow(StoreUnavailableError);
  expect(script.requests).toEqual([]);
});

test('an endpoint that takes connections and never answers does not outlast the deadline', async () => {
  const server = createServer(() => {});
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint });
  onTestFinished(() => client.destroy());
  const started = systemClock.now();
  const { tables } = scriptedTables([], { client, clock: systemClock, deadlineAt: () => started + 300 });
  await expect(tables.write(PUT)).rejects.toThrow(StoreUnavailableError);
  // One attempt with no deadline takes three seconds, and there are several.
  expect(systemClock.now() - started).toBeLessThan(5_000);
});

test.each<[string, number, boolean]>([
  ['ValidationException', 400, true],
  ['ResourceNotFoundException', 400, true],
  ['AccessDeniedException', 400, true],
  ['ItemCollectionSizeLimitExceededException', 400, true],
  ['ProvisionedThroughputExceededException', 400, false],
  ['ThrottlingException', 400, false],
  ['RequestLimitExceeded', 400, false],
  ['InternalServerError', 500, false],
  ['ServiceUnavailable', 503, false],
])('%s tells whether anything can have been written', async (name, status, refused) => {
  const requestHandler = scriptedHandler(serviceError(name, {}, status));
  const { tables } = scriptedTables([], { client: new DynamoDBClient({ ...EMULATOR_ACCESS, requestHandler, maxAttempts: 1 }) });
  await expect(tables.write(PUT)).rejects.toThrow(refused ? StoreRefusedError : StoreUnavailableError);
});

test('a refusal after an attempt without an answer does not say that nothing was written', async () => {
  const { tables } = scriptedTables([brokenConnection(), serviceError('AccessDeniedException')]);
  await expect(tables.write(PUT)).rejects.toThrow(StoreUnavailableError);
});
