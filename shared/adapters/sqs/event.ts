import type { WorkerQueues } from '../../config/environment.ts';
import { InvalidConfigurationError, InvalidInputError, kindOf, shown } from '../../job/errors.ts';
import type { QueueRef, ReceivedHint } from '../../ports/hints.ts';

/** What an executor reads of an SQS event. */
export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}

/** One message of the event. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes?: { readonly ApproximateReceiveCount?: string };
  readonly eventSourceARN: string;
}

/** A partial batch response: only the ids that the event named, because an unknown one fails the whole batch. */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/** The messages of an event. A queue that the deployment does not name is a wrong event source: an error, nothing is acknowledged. */
export function receivedHints(event: SqsEvent, workers: ReadonlyMap<string, WorkerQueues>): readonly ReceivedHint[] {
  if (!Array.isArray((event as SqsEvent | null | undefined)?.Records)) {
    throw new InvalidInputError('event', kindOf(event), 'The executor runs behind an SQS event source; it takes no other event.');
  }
  const queues = queuesByName(workers);
  return event.Records.map((record: SqsRecord | null | undefined) => {
    const arn: unknown = record?.eventSourceARN;
    const queue = typeof arn === 'string' ? queues.get(lastPart(arn, ':')) : undefined;
    if (!record || queue === undefined) {
      throw new InvalidConfigurationError(`eventSourceARN: ${shown(arn)} is not a queue of this deployment. Fix the event source mapping.`);
    }
    return {
      messageId: record.messageId,
      receiptHandle: record.receiptHandle,
      body: record.body,
      queue,
      receiveCount: Number(record.attributes?.ApproximateReceiveCount ?? 1),
    };
  });
}

/** The response that makes the event source keep what must come back. */
export function batchResponse(back: readonly string[]): SqsBatchResponse {
  return { batchItemFailures: back.map((itemIdentifier) => ({ itemIdentifier })) };
}

function queuesByName(workers: ReadonlyMap<string, WorkerQueues>): ReadonlyMap<string, QueueRef> {
  const queues = new Map<string, QueueRef>();
  for (const [worker, { lanes, fifo }] of workers) {
    for (const [lane, url] of Object.entries(lanes)) queues.set(lastPart(url, '/'), { worker, lane, kind: 'standard' });
    if (fifo !== undefined) queues.set(lastPart(fifo, '/'), { worker, lane: '', kind: 'fifo' });
  }
  return queues;
}

const lastPart = (text: string, separator: string): string => text.slice(text.lastIndexOf(separator) + 1);
