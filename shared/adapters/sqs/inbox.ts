import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { Attempts } from '../aws/attempts.ts';
import { chunks } from '../aws/backoff.ts';
import { portError } from '../aws/call-failure.ts';
import { InvalidConfigurationError } from '../../job/errors.ts';
import { mapLimited } from '../../job/map-limited.ts';
import { cutToBytes, LIMITS } from '../../job/size-limits.ts';
import type { QueueRef, ReceivedHint } from '../../ports/hints.ts';
import { call, type SqsDeps } from './caller.ts';

const BATCH_MESSAGES = 10;
const PARALLEL_BATCHES = 16;
const REASON_BYTES = 1024;
// An attribute may not contain characters that XML 1.0 excludes: control characters and lone surrogates.
// oxlint-disable-next-line no-control-regex
const NOT_IN_ATTRIBUTES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Makes a message visible again after `ms`. A failure is noted, not thrown: the visibility timeout brings the message back. */
export async function postponeMessage(deps: SqsDeps, message: ReceivedHint, ms: number): Promise<void> {
  const VisibilityTimeout = Math.ceil(Math.min(Math.max(ms, 0), LIMITS.visibilityMs) / 1000);
  try {
    const QueueUrl = urlOf(deps, message.queue);
    await call(deps, new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message.receiptHandle, VisibilityTimeout }));
  } catch (error) {
    const reason = `visibility: ${error instanceof Error ? error.name : 'unknown'}`;
    deps.journal?.record({ event: 'send-failed', worker: message.queue.worker, reason });
  }
}

/** Deletes messages in batches of ten per queue. A failure is noted, not thrown: the message comes back and finds no job to claim. */
export async function discardMessages(deps: SqsDeps, messages: readonly ReceivedHint[]): Promise<void> {
  const queues = Map.groupBy(messages, ({ queue }) => `${queue.worker} ${queue.kind} ${queue.lane}`);
  const batches = [...queues.values()].flatMap((some) => chunks(some, BATCH_MESSAGES));
  await mapLimited(batches, PARALLEL_BATCHES, (batch) => discardBatch(deps, batch));
}

async function discardBatch(deps: SqsDeps, batch: readonly ReceivedHint[]): Promise<void> {
  const [first] = batch;
  if (first === undefined) return;
  const note = (reason: string, count: number): void =>
    deps.journal?.record({ event: 'send-failed', worker: first.queue.worker, count, reason: `discard: ${reason}` });
  try {
    const QueueUrl = urlOf(deps, first.queue);
    const Entries = batch.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
    const { Failed = [] } = await call(deps, new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    if (Failed.length > 0) note(Failed[0]?.Code ?? 'unknown', Failed.length);
  } catch (error) {
    note(error instanceof Error ? error.name : 'unknown', batch.length);
  }
}

/** Copies a message to its queue's dead-letter queue with the reason. Throws when that fails or there is none. */
export async function rejectMessage(deps: SqsDeps, message: ReceivedHint, reason: string): Promise<void> {
  const { worker, kind } = message.queue;
  const queues = deps.workers.get(worker);
  const QueueUrl = kind === 'fifo' ? queues?.fifoDeadLetterQueue : queues?.deadLetterQueue;
  if (QueueUrl === undefined) throw new InvalidConfigurationError(`worker ${worker} has no ${kind} dead-letter queue.`);
  const text = cutToBytes(reason.toWellFormed().replace(NOT_IN_ATTRIBUTES, ' '), REASON_BYTES) || 'unreadable';
  const command = new SendMessageCommand({
    QueueUrl,
    MessageBody: message.body,
    MessageAttributes: {
      reason: { DataType: 'String', StringValue: text },
      messageId: { DataType: 'String', StringValue: message.messageId },
    },
    ...(kind === 'fifo' ? { MessageGroupId: 'unreadable', MessageDeduplicationId: message.messageId } : {}),
  });
  const attempts = new Attempts();
  try {
    await call(deps, command, { attempts });
  } catch (error) {
    throw portError('reject', error, attempts);
  }
}

/** About how many messages of a queue could be received now; `undefined` when the queue does not answer. */
export async function countVisible(deps: SqsDeps, queue: QueueRef): Promise<number | undefined> {
  try {
    const command = new GetQueueAttributesCommand({ QueueUrl: urlOf(deps, queue), AttributeNames: ['ApproximateNumberOfMessages'] });
    const { Attributes: attributes } = await call(deps, command);
    const count = Number(attributes?.['ApproximateNumberOfMessages']);
    return Number.isFinite(count) ? count : undefined;
  } catch {
    return undefined;
  }
}

function urlOf(deps: SqsDeps, { worker, lane, kind }: QueueRef): string {
  const queues = deps.workers.get(worker);
  const url = kind === 'fifo' ? queues?.fifo : queues?.lanes[lane];
  if (url === undefined) throw new InvalidConfigurationError(`worker ${worker} has no ${kind} queue for lane ${lane}.`);
  return url;
}
