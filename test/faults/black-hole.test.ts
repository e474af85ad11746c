import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timedRequestHandler, TIMEOUTS } from '../../shared/adapters/aws/request-handler.ts';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { createDynamoClient } from '../../shared/adapters/dynamodb/client.ts';
import { createDynamoTables } from '../../shared/adapters/dynamodb/tables.ts';
import type { Hint } from '../../shared/job/hint.ts';
import type { Backlog, HintSender, Inbox, ReceivedHint } from '../../shared/ports/hints.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { SingleWrite, TableName, Tables } from '../../shared/ports/tables.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../shared/adapters/sqs/hints.ts';
import { createFaults } from '../../testing/index.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { freshTables, testDynamo } from '../support/emulators.ts';
import { recordFigures } from '../support/figures.ts';
import { idOf } from '../support/job-rows.ts';
import { type Silence, silentServer } from '../support/silent-server.ts';

const LEFT_MS = 400;
const SLACK_MS = 1_000;
const PUT: SingleWrite = { op: 'put', table: 'jobs', row: { id: 'a' } };
const MESSAGE: ReceivedHint = {
  messageId: 'm',
  receiptHandle: 'r',
  body: '{}',
  queue: { worker: 'w', lane: 'l', kind: 'standard' },
  receiveCount: 1,
};
const HINT: Hint = { id: idOf(1), n: 1, worker: 'w', lane: 'l', delayMs: 0, alone: false };

/** Every call of the port for tables. */
const DYNAMO: [string, (tables: Tables) => Promise<unknown>][] = [
  ['get', (tables) => tables.get('jobs', { id: 'a' })],
  ['put', (tables) => tables.write(PUT)],
  ['update', (tables) => tables.write({ op: 'update', table: 'jobs', key: { id: 'a' }, set: { v: 1 } })],
  ['delete', (tables) => tables.write({ op: 'delete', table: 'jobs', key: { id: 'a' } })],
  ['transact', (tables) => tables.transact([PUT], 'token')],
  ['query', (tables) => tables.query({ table: 'timers', partition: '00', limit: 1 })],
  ['scan', (tables) => tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 1 })],
];

function tablesAt(endpoint: string): Tables {
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint });
  onTestFinished(() => client.destroy());
  const deadline = systemClock.now() + LEFT_MS;
  const names = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>;
  return createDynamoTables({ client, names, clock: systemClock, entropy: systemEntropy, deadlineAt: () => deadline });
}

function hintsAt(endpoint: string): HintSender & Inbox & Backlog {
  const client = createSqsClient({ ...EMULATOR_ACCESS, endpoint });
  onTestFinished(() => client.destroy());
  const deadline = systemClock.now() + LEFT_MS;
  const workers = new Map([['w', { lanes: { l: `${endpoint}/0/q` }, deadLetterQueue: `${endpoint}/0/d` }]]);
  return createSqsHints({ client, workers, clock: systemClock, entropy: systemEntropy, deadlineAt: () => deadline });
}

/** By how much each call outlasted its invocation. */
const outlasted: number[] = [];

interface Took {
  readonly ms: number;
  /** By how much it ended after a bare timer that was to end with it: on a busy machine both are late. */
  readonly lateMs: number;
  readonly result: unknown;
}

async function took(work: () => Promise<unknown>, atMostMs = LEFT_MS): Promise<Took> {
  const from = systemClock.now();
  const timer = systemClock.wait(atMostMs).then(() => systemClock.now() - from);
  const result = await work().catch((error: unknown) => error);
  const ms = systemClock.now() - from;
  return { ms, lateMs: ms - (await timer), result };
}

const SILENCES: readonly Silence[] = ['silent', 'stalled', 'dripping'];

describe.each(SILENCES)('an endpoint that takes requests and stays %s', (silence) => {
  it('fails every call of DynamoDB within what is left of the invocation', async () => {
    const endpoint = await silentServer(silence);
    const ends = await Promise.all(DYNAMO.map(async ([name, call]) => ({ name, ...(await took(() => call(tablesAt(endpoint)))) })));
    outlasted.push(...ends.map(({ lateMs }) => lateMs));
    expect(ends.filter(({ lateMs }) => lateMs > SLACK_MS)).toEqual([]);
    for (const { result } of ends) expect(result).toBeInstanceOf(StoreUnavailableError);
    const batch = await took(() => tablesAt(endpoint).putAll('jobs', [{ id: 'a' }]));
    expect([batch.lateMs < SLACK_MS, batch.result]).toEqual([true, [{ id: 'a' }]]);
  });

  it('fails every call of SQS within it too', async () => {
    const endpoint = await silentServer(silence);
    const hints = hintsAt(endpoint);
    const [sent, postponed, visible, rejected] = await Promise.all([
      took(() => hints.send([HINT])),
      took(() => hints.postpone(MESSAGE, 1_000)),
      took(() => hints.visible(MESSAGE.queue)),
      took(() => hints.reject(MESSAGE, 'unreadable')),
    ]);
    const late = [sent, postponed, visible, rejected].map(({ lateMs }) => lateMs);
    outlasted.push(...late);
    expect(late.filter((ms) => ms > SLACK_MS)).toEqual([]);
    expect([sent.result, postponed.result, visible.result]).toEqual([[HINT], undefined, undefined]);
    expect(rejected.result).toBeInstanceOf(StoreUnavailableError);
  });
});

describe('a client that knows no deadline', () => {
  it('ends an attempt after 3 s without a byte, and after 5 s of drips', async () => {
    const attempt = async (silence: Silence): Promise<Took> => {
      const client = new DynamoDBClient({
        ...EMULATOR_ACCESS,
        endpoint: await silentServer(silence),
        requestHandler: timedRequestHandler(),
        maxAttempts: 1,
      });
      const read = new GetItemCommand({ TableName: 't', Key: { id: { S: 'a' } } });
      const ended = await took(async () => client.send(read), silence === 'dripping' ? TIMEOUTS.requestMs : TIMEOUTS.socketMs);
      client.destroy();
      expect(ended.result).toMatchObject({ name: 'TimeoutError' });
      return ended;
    };
    const all = await Promise.all(SILENCES.map(attempt));
    expect(all.filter(({ lateMs }) => lateMs > SLACK_MS)).toEqual([]);
    expect(Math.min(...all.map(({ ms }) => ms))).toBeGreaterThan(TIMEOUTS.socketMs - SLACK_MS);
    const worst = Math.max(...outlasted);
    expect(worst).toBeLessThan(SLACK_MS);
    recordFigures('black-hole', {
      calls: outlasted.length,
      msLeft: LEFT_MS,
      msOutlastedAtMost: worst,
      msUntilADrippingReplyEnded: all.at(-1)?.ms ?? 0,
    });
  });
});

it('a call that is throttled does not sit out the SDK’s back-off beyond what is left of the invocation', async () => {
  const faults = createFaults();
  const { endpoint } = await testDynamo();
  const client = faults.under(createDynamoClient({ ...EMULATOR_ACCESS, endpoint }));
  onTestFinished(() => client.destroy());
  const { names } = await freshTables();
  faults.rate('throttle', 1);
  const ends = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const deadline = systemClock.now() + LEFT_MS;
      const tables = createDynamoTables({ client, names, clock: systemClock, entropy: systemEntropy, deadlineAt: () => deadline });
      return took(async () => tables.write(PUT));
    }),
  );
  expect(ends.filter(({ lateMs }) => lateMs > SLACK_MS)).toEqual([]);
  for (const { result } of ends) expect(result).toBeInstanceOf(StoreUnavailableError);
});
