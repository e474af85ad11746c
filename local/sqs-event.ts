import type { Message } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { defined } from '../shared/job/defined.ts';

/** The event that Lambda's event source makes of received messages. */
export function sqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => sqsRecord(message, queueArn)) };
}

function sqsRecord(message: Message, queueArn: string): SQSRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: (message.Attributes ?? {}) as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        {
          dataType: value.DataType ?? 'String',
          ...defined({ stringValue: value.StringValue }),
          ...(value.BinaryValue === undefined ? {} : { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
        },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

/**
 * Ids of the messages that a partial batch response leaves in the queue, by Lambda's rules: nothing, null and an empty list
 * mean that all went well; anything that is not a response, or that names a message outside the batch, means that all failed.
 */
export function failedMessages(response: unknown, batch: readonly string[]): ReadonlySet<string> {
  const all = new Set(batch);
  if (response === undefined || response === null) return new Set();
  if (typeof response !== 'object') return all;
  const failures: unknown = (response as Record<string, unknown>)['batchItemFailures'];
  if (failures === undefined || failures === null) return new Set();
  if (!Array.isArray(failures)) return all;
  const ids = failures.map((failure: unknown) =>
    typeof failure === 'object' && failure !== null ? (failure as Record<string, unknown>)['itemIdentifier'] : undefined,
  );
  return ids.every((id): id is string => typeof id === 'string' && all.has(id)) ? new Set(ids) : all;
}
