import { describe, expect, it } from 'vitest';
import { InvalidConfigurationError } from '../../../shared/job/errors.ts';
import { batchResponse, receivedHints, type SqsRecord } from '../../../shared/adapters/sqs/event.ts';

const workers = new Map([
  [
    'default',
    {
      lanes: { default: 'https://sqs.eu-west-1.amazonaws.com/1/app-default' },
      fifo: 'https://sqs.eu-west-1.amazonaws.com/1/app-default.fifo',
    },
  ],
  [
    'mail',
    { lanes: { default: 'http://127.0.0.1:9324/000000000000/app-mail', urgent: 'http://127.0.0.1:9324/000000000000/app-mail-urgent' } },
  ],
]);

const record = (queue: string, more: Partial<SqsRecord> = {}): SqsRecord => ({
  messageId: 'm',
  receiptHandle: 'r',
  body: 'b',
  attributes: { ApproximateReceiveCount: '3' },
  eventSourceARN: `arn:aws:sqs:eu-west-1:1:${queue}`,
  ...more,
});

describe('an SQS event', () => {
  it.each([
    ['app-default', { worker: 'default', lane: 'default', kind: 'standard' }],
    ['app-default.fifo', { worker: 'default', lane: '', kind: 'fifo' }],
    ['app-mail-urgent', { worker: 'mail', lane: 'urgent', kind: 'standard' }],
  ])('from queue %s knows its worker and lane', (queue, expected) => {
    expect(receivedHints({ Records: [record(queue)] }, workers)).toEqual([
      { messageId: 'm', receiptHandle: 'r', body: 'b', queue: expected, receiveCount: 3 },
    ]);
  });

  it('from a queue that the deployment does not have is refused as a whole, so that nothing is acknowledged', () => {
    for (const one of [record('somebody-elses'), {}, null, 'record', { eventSourceARN: 5 }]) {
      expect(() => receivedHints({ Records: [one as SqsRecord] }, workers)).toThrow(InvalidConfigurationError);
    }
  });

  it('is answered with the ids that must come back, and no others', () => {
    expect(batchResponse(['a', 'b'])).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'b' }] });
    expect(batchResponse([])).toEqual({ batchItemFailures: [] });
  });
});
