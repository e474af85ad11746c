import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type QueueAttributeName,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type EventSource, type EventSourceOptions, startEventSource } from '../../local/event-source.ts';
import { type RunningSqs, startFauxqs } from '../../local/emulators/fauxqs.ts';
import type { FunctionRuntime } from '../../local/function-runtime.ts';
import { WAIT } from '../support/patience.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
let emulator: RunningSqs;
let sqs: SQSClient;
let queues = 0;
const sources: EventSource[] = [];

beforeAll(async () => {
  emulator = await startFauxqs({});
  sqs = new SQSClient({ endpoint: emulator.endpoint, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false });
});
afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.stop(0)));
});
afterAll(async () => {
  sqs.destroy();
  await emulator.stop();
});

async function createQueue(attributes: Partial<Record<QueueAttributeName, string>> = {}): Promise<string> {
  queues += 1;
  const QueueName = `queue-${queues}${attributes.FifoQueue === 'true' ? '.fifo' : ''}`;
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  return QueueUrl;
}

async function attribute(queueUrl: string, name: QueueAttributeName): Promise<string> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [name] }));
  return Attributes?.[name] ?? '';
}

async function left(queueUrl: string): Promise<number> {
  return (
    Number(await attribute(queueUrl, 'ApproximateNumberOfMessages')) +
    Number(await attribute(queueUrl, 'ApproximateNumberOfMessagesNotVisible'))
  );
}

async function send(queueUrl: string, bodies: readonly string[], group?: (body: string) => string): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((body, index) => ({
      Id: String(index),
      MessageBody: body,
      ...(group === undefined ? {} : { MessageGroupId: group(body), MessageDeduplicationId: body }),
    }));
    const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    expect(Failed).toEqual([]);
  }
}

function runtimeOf(handler: (records: readonly SQSRecord[]) => Promise<unknown>): FunctionRuntime {
  return { name: 'function', running: 0, invoke: (event) => handler((event as SQSEvent).Records) };
}

async function start(queueUrl: string, runtime: FunctionRuntime, options: Partial<EventSourceOptions> = {}): Promise<EventSource> {
  const source = await startEventSource({ sqs, queueUrl, runtime, functionTimeoutMs: 5_000, batchSize: 10, maxConcurrency: 5, ...options });
  sources.push(source);
  return source;
}

test('messages that a partial batch response names come back, the others are deleted', async () => {
  const queueUrl = await createQueue({ VisibilityTimeout: '1' });
  await send(queueUrl, ['good', 'bad', 'fine']);
  const seen: string[] = [];
  await start(
    queueUrl,
    runtimeOf(async (records) => {
      seen.push(...records.map((record) => `${record.body} ${record.attributes.ApproximateReceiveCount}`));
      const bad = records.filter((record) => record.body === 'bad' && record.attributes.ApproximateReceiveCount === '1');
      return { batchItemFailures: bad.map((record) => ({ itemIdentifier: record.messageId })) };
    }),
  );
  await vi.waitFor(async () => expect(await left(queueUrl)).toBe(0), WAIT);
  expect(seen.toSorted()).toEqual(['bad 1', 'bad 2', 'fine 1', 'good 1']);
});

test('a function that throws leaves its whole batch in the queue', async () => {
  const queueUrl = await createQueue({ VisibilityTimeout: '1' });
  await send(queueUrl, ['a', 'b']);
  const batches: number[] = [];
  const problems: string[] = [];
  const throwing = runtimeOf(async (records) => {
    batches.push(records.length);
    if (batches.length === 1) throw new Error('out of order');
  });
  await start(queueUrl, throwing, { onProblem: (what, error) => problems.push(`${what}: ${String(error)}`) });
  await vi.waitFor(async () => expect(await left(queueUrl)).toBe(0), WAIT);
  expect(batches.reduce((sum, size) => sum + size)).toBe(4);
  expect(problems).toEqual(['invoke function: Error: out of order']);
});

test('a message that fails more often than its queue allows goes to the dead-letter queue', async () => {
  const deadLetters = await createQueue();
  const redrive = { deadLetterTargetArn: await attribute(deadLetters, 'QueueArn'), maxReceiveCount: 2 };
  const queueUrl = await createQueue({ VisibilityTimeout: '1', RedrivePolicy: JSON.stringify(redrive) });
  await send(queueUrl, ['poison']);
  let runs = 0;
  await start(
    queueUrl,
    runtimeOf(async () => {
      runs += 1;
      throw new Error('poison');
    }),
  );
  await vi.waitFor(async () => expect(await left(deadLetters)).toBe(1), WAIT);
  expect([runs, await left(queueUrl)]).toEqual([2, 0]);
});

test('no more functions run at the same time than the concurrency limit allows', async () => {
  const queueUrl = await createQueue();
  await send(
    queueUrl,
    Array.from({ length: 12 }, (_, n) => `message ${n}`),
  );
  const gates: (() => void)[] = [];
  let running = 0;
  let most = 0;
  let ended = 0;
  const gated = runtimeOf(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => gates.push(resolve));
    running -= 1;
    ended += 1;
  });
  await start(queueUrl, gated, { batchSize: 1, maxConcurrency: 3 });
  for (let done = 0; done < 12; done += 1) {
    await vi.waitFor(() => expect(gates.length).toBe(Math.min(3, 12 - done)), WAIT);
    // A fourth would have started by now if it could: messages are there, and this round trip outlasts a poll.
    await vi.waitFor(async () => expect(await left(queueUrl)).toBe(12 - done), WAIT);
    gates.shift()?.();
    await vi.waitFor(() => expect(ended).toBe(done + 1), WAIT);
  }
  expect([most, running]).toEqual([3, 0]);
});

test('messages of a group reach the function in order, one batch at a time', async () => {
  const queueUrl = await createQueue({ FifoQueue: 'true' });
  const bodies = ['a', 'b', 'c'].flatMap((group) => [1, 2, 3, 4].map((n) => `${group}${n}`));
  await send(queueUrl, bodies, (body) => body.slice(0, 1));
  const open = new Map<string, number>();
  const seen: string[] = [];
  await start(
    queueUrl,
    runtimeOf(async (records) => {
      const groups = new Set(records.map((record) => record.attributes.MessageGroupId ?? ''));
      for (const group of groups) {
        expect(open.get(group) ?? 0).toBe(0);
        open.set(group, 1);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(...records.map((record) => record.body));
      for (const group of groups) open.set(group, 0);
    }),
  );
  await vi.waitFor(() => expect(seen).toHaveLength(bodies.length), WAIT);
  for (const group of ['a', 'b', 'c']) {
    expect(seen.filter((body) => body.startsWith(group))).toEqual(bodies.filter((body) => body.startsWith(group)));
  }
});

test('a group whose message came back while its batch still runs does not start beside it', async () => {
  const queueUrl = await createQueue({ FifoQueue: 'true', VisibilityTimeout: '1' });
  await send(queueUrl, ['slow'], () => 'group');
  const gate = Promise.withResolvers<void>();
  const starts: number[] = [];
  let running = 0;
  const slow = runtimeOf(async () => {
    running += 1;
    starts.push(running);
    if (starts.length === 1) await gate.promise;
    running -= 1;
  });
  const source = await start(queueUrl, slow);
  // The second delivery is taken from the queue and waits in the mapping for the first to end.
  await vi.waitFor(() => expect(source.running).toBe(2), WAIT);
  expect(starts).toEqual([1]);
  gate.resolve();
  await vi.waitFor(() => expect(starts).toEqual([1, 1]), WAIT);
});

test('a batch window gathers more messages than one receive can bring', async () => {
  const queueUrl = await createQueue();
  await send(
    queueUrl,
    Array.from({ length: 12 }, (_, n) => `message ${n}`),
  );
  const batches: number[] = [];
  await start(
    queueUrl,
    runtimeOf(async (records) => void batches.push(records.length)),
    { batchSize: 12, batchWindowMs: 5_000 },
  );
  await vi.waitFor(() => expect(batches).toEqual([12]), WAIT);
});

test('a record says what Lambda would say of its message', async () => {
  const queueUrl = await createQueue({ FifoQueue: 'true' });
  await send(queueUrl, ['hello'], () => 'group-1');
  const records: SQSRecord[] = [];
  await start(
    queueUrl,
    runtimeOf(async (batch) => void records.push(...batch)),
  );
  await vi.waitFor(() => expect(records).toHaveLength(1), WAIT);
  expect(records[0]).toMatchObject({
    body: 'hello',
    eventSource: 'aws:sqs',
    eventSourceARN: await attribute(queueUrl, 'QueueArn'),
    awsRegion: 'us-east-1',
    attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'group-1' },
  });
  expect(records[0]?.messageId).toBeTruthy();
  expect(records[0]?.receiptHandle).toBeTruthy();
});

test('stopping waits no longer than its grace and says how many messages a function still holds', async () => {
  const queueUrl = await createQueue();
  await send(queueUrl, ['a', 'b']);
  const gate = Promise.withResolvers<void>();
  let held = 0;
  const hanging = runtimeOf(async (records) => {
    held += records.length;
    await gate.promise;
  });
  const source = await start(queueUrl, hanging);
  await vi.waitFor(() => expect(held).toBe(2), WAIT);
  expect(await source.stop(200)).toBe(2);
  gate.resolve();
  await vi.waitFor(async () => expect(await left(queueUrl)).toBe(0), WAIT);
});

test('a stopped mapping takes no more messages, and puts back what a poll still brings', async () => {
  const queueUrl = await createQueue();
  let held = 0;
  const source = await start(
    queueUrl,
    runtimeOf(async (records) => void (held += records.length)),
    { pollSeconds: 2 },
  );
  await source.stop(0);
  await send(queueUrl, ['late']);
  await source.stop(10_000);
  await vi.waitFor(async () => expect(await attribute(queueUrl, 'ApproximateNumberOfMessages')).toBe('1'), WAIT);
  expect(held).toBe(0);
});
