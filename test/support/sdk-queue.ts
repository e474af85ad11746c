import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { systemClock } from '../../shared/adapters/system.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import { createSqsHints } from '../../shared/adapters/sqs/hints.ts';
import { executeMessages } from '../../functions/executor/execute-messages.ts';
import type { FaultySqs } from './faulty-clients.ts';
import type { Rig } from './rig.ts';

const LANE: QueueRef = { worker: 'default', lane: 'default', kind: 'standard' };

/** Lets a rig send to SQS instead of memory, on the rig's own time but without waiting between tries. */
export function sendToSqs(rig: Rig, { client, workers }: FaultySqs): void {
  const clock = { now: () => rig.clock.now(), wait: async () => undefined };
  const hints = createSqsHints({ client, workers, clock, entropy: rig.deps.entropy, journal: rig.journal });
  Object.assign(rig.hints, {
    send: hints.send.bind(hints),
    postpone: hints.postpone.bind(hints),
    discard: hints.discard.bind(hints),
    visible: hints.visible.bind(hints),
  });
}

/** The result of work that waits on the rig's clock and on real requests: virtual time runs ten times as fast as real time. */
export async function whileTimePasses<Result>(rig: Rig, work: Promise<Result>): Promise<Result> {
  const state = { ended: false };
  const end = (): void => void (state.ended = true);
  work.then(end, end);
  while (!state.ended) {
    await systemClock.wait(2);
    await rig.clock.advance(20);
  }
  return work;
}

/** The messages that the lane's queue gives out now. */
export async function receiveFromSqs({ client, workers }: FaultySqs): Promise<readonly ReceivedHint[]> {
  const QueueUrl = workers.get('default')?.lanes['default'];
  const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] });
  const { Messages: messages = [] } = await client.send(command);
  return messages.map((message) => received(message));
}

/** Runs one delivery batch as the event source does: messages that do not come back are deleted, if SQS accepts it. Returns how many were received. */
export async function deliverFromSqs(rig: Rig, sqs: FaultySqs): Promise<number> {
  const messages = await receiveFromSqs(sqs);
  if (messages.length === 0) return 0;
  const back = await whileTimePasses(rig, executeMessages(rig.deps, messages, rig.invocation()));
  const done = new Set(messages.filter(({ messageId }) => !back.includes(messageId)).map(({ receiptHandle }) => receiptHandle));
  const Entries = [...done].map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
  const QueueUrl = sqs.workers.get('default')?.lanes['default'];
  // Lambda's poller reports no failure; the message comes back.
  if (Entries.length > 0) await sqs.client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })).catch(() => undefined);
  return messages.length;
}

function received({ MessageId = '', ReceiptHandle = '', Body = '', Attributes }: Message): ReceivedHint {
  const receiveCount = Number(Attributes?.ApproximateReceiveCount ?? 1);
  return { messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, queue: LANE, receiveCount };
}
