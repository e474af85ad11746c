import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { WorkerQueues } from '../../shared/config/environment.ts';
import { systemClock, systemEntropy } from '../../shared/adapters/system.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { createMemoryHints } from '../../shared/adapters/memory/hints.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import { createSqsHints } from '../../shared/adapters/sqs/hints.ts';
import { createPollingClient, createSqsSource } from '../../shared/adapters/sqs/source.ts';
import type { SourceSubject } from '../../testing/contract/contract.ts';
import { HINTS_CONTRACT_WORKERS } from '../../testing/contract/hints-parts.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { freshQueues, testSqs } from '../support/emulators.ts';

/** Every implementation of the ports, by name; `open` gives empty queues. */
export const HINTS_UNDER_TEST: readonly (readonly [string, () => Promise<SourceSubject>])[] = [
  ['memory', openMemory],
  ['fauxqs', openFauxqs],
];

async function openMemory(): Promise<SourceSubject> {
  const clock = new SettableClock();
  const workers = new Map<string, WorkerQueues>([
    ['w', { lanes: { high: 'h', normal: 'n' }, from: { high: 10 }, fifo: 'f', deadLetterQueue: 'd', fifoDeadLetterQueue: 'fd' }],
    ['plain', { lanes: { normal: 'p' } }],
  ]);
  const hints = createMemoryHints({ clock, workers, visibilityMs: 60_000 });
  return {
    hints,
    source: createMemoryHintSource(hints, clock),
    receive: async (queue) => hints.receive(queue, 10),
    acknowledge: async (message) => hints.acknowledge(message),
    pass: (ms) => clock.advance(ms),
    rejected: async (kind) =>
      hints.deadLetters().flatMap(({ message, reason }) => (message.queue.kind === kind ? [{ body: message.body, reason }] : [])),
  };
}

async function openFauxqs(): Promise<SourceSubject> {
  const { client, workers } = await freshQueues(HINTS_CONTRACT_WORKERS);
  const { endpoint } = await testSqs();
  const polling = createPollingClient({ ...EMULATOR_ACCESS, endpoint });
  const urlOf = ({ worker, lane, kind }: QueueRef): string => {
    const queues = workers.get(worker);
    return (kind === 'fifo' ? queues?.fifo : queues?.lanes[lane]) ?? '';
  };
  return {
    hints: createSqsHints({ client, workers, clock: systemClock, entropy: systemEntropy }),
    source: createSqsSource({ client: polling, workers, clock: systemClock, entropy: systemEntropy }),
    receive: async (queue) => (await receiveFrom(client, urlOf(queue))).map((message) => received(message, queue)),
    acknowledge: async ({ queue, receiptHandle }) => {
      await client.send(new DeleteMessageCommand({ QueueUrl: urlOf(queue), ReceiptHandle: receiptHandle }));
    },
    pass: (ms) => systemClock.wait(ms),
    rejected: async (kind) => {
      const queues = workers.get('w');
      const messages = await receiveFrom(client, (kind === 'fifo' ? queues?.fifoDeadLetterQueue : queues?.deadLetterQueue) ?? '');
      return messages.map((message) => ({ body: message.Body ?? '', reason: message.MessageAttributes?.['reason']?.StringValue ?? '' }));
    },
  };
}

async function receiveFrom(client: SQSClient, QueueUrl: string): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  return (await client.send(command)).Messages ?? [];
}

function received(message: Message, queue: QueueRef): ReceivedHint {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    queue,
    receiveCount: Number(message.Attributes?.ApproximateReceiveCount),
  };
}
