// A user's plain JavaScript: enqueues a job, receives its message as Lambda would, and runs it. Prints what came of it as JSON.
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createJobClient, defineJob, InvalidInputError, NonRetryableError } from 'nightcrew';
import { createExecutor } from 'nightcrew/worker';
import { z } from 'zod';

const greet = defineJob('greet', { payload: z.object({ name: z.string() }), retry: 'never' });
const greeted = [];
const handler = createExecutor([
  greet.handle(({ payload }) => {
    if (payload.name === 'nobody') throw new NonRetryableError('nobody is there');
    greeted.push(payload.name);
  }),
]);

const jobs = createJobClient();
const { id } = await jobs.enqueue(greet, { name: 'Ada' });
const { id: doomed } = await jobs.enqueue(greet, { name: 'nobody' });
const refused = await jobs.enqueue(greet, { name: 5 }).catch((error) => error);

const [url] = Object.values(JSON.parse(process.env.NIGHTCREW_WORKERS).default.lanes);
const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
const failures = [];
for (let received = 0; received < 2;) {
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 5, MaxNumberOfMessages: 10 }));
  const Records = Messages.map((message) => ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: { ApproximateReceiveCount: '1' },
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${url.slice(url.lastIndexOf('/') + 1)}`,
  }));
  const response = await handler({ Records }, { awsRequestId: 'request', getRemainingTimeInMillis: () => 60_000 });
  failures.push(...response.batchItemFailures);
  received += Messages.length;
}
const dead = await jobs.get(doomed);
console.error(
  JSON.stringify({
    greeted,
    failures,
    state: (await jobs.get(id))?.state,
    dead: { state: dead?.state, reason: dead?.reason },
    refused: refused instanceof InvalidInputError && refused.field,
  }),
);
