import { expect, it } from 'vitest';
import { createJobClient } from '../../../shared/client/create-job-client.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import type { SqsEvent } from '../../../shared/adapters/sqs/event.ts';
import { createExecutor } from '../../../functions/executor/create-executor.ts';
import { freshTables, testDynamo } from '../../support/emulators.ts';
import { anyPayload } from '../../support/rig.ts';
import { type WireAnswer, wireError, type WireRequest, wireServer } from '../../support/wire-server.ts';

const INVOCATION_MS = 6_000;
/** By how much the answer may come after a bare timer that ends with the invocation: on a busy machine both are late. */
const SLACK_MS = 400;
/** What is left of it when the handler ends. */
const LEFT_MS = 1_800;
const work = defineJob('work', { payload: anyPayload });

const throttled = ({ body }: WireRequest): WireAnswer => {
  const items = body['TransactItems'] as readonly unknown[];
  return wireError('TransactionCanceledException', {
    CancellationReasons: items.map((_, index) => ({ Code: index === 0 ? 'ThrottlingError' : 'None' })),
  });
};

interface Stage {
  readonly environment: Readonly<Record<string, string>>;
  /** From now on the store throttles every transaction. */
  readonly throttle: () => void;
}

async function stage(): Promise<Stage> {
  let isThrottled = false;
  const { endpoint } = await testDynamo();
  const { names } = await freshTables();
  const dynamo = await wireServer(
    (request) => (isThrottled && request.operation === 'TransactWriteItems' ? throttled(request) : 'forward'),
    endpoint,
  );
  const sqs = await wireServer(() => ({}));
  const settings = { recordReserveMs: 1_400, abortGraceMs: 100, minimumRunMs: 100 };
  return {
    throttle: () => void (isThrottled = true),
    environment: {
      ...encodeEnvironment({
        tables: names,
        workers: { default: { lanes: { default: `${sqs.endpoint}/0/jobs` } } },
        settings,
        worker: 'default',
      }),
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    },
  };
}

const eventOf = (id: string): SqsEvent => ({
  Records: [
    { messageId: 'm', receiptHandle: 'r', body: JSON.stringify({ v: 1, id, n: 1 }), eventSourceARN: 'arn:aws:sqs:us-east-1:0:jobs' },
  ],
});

it.each([1, 2])('an executor whose completing transaction is throttled near its end answers before it is killed (%i)', async () => {
  const { environment, throttle } = await stage();
  const { id } = await createJobClient({ environment, journal: silentJournal }).enqueue(work, {}, { key: 'k' });
  const killedAt = systemClock.now() + INVOCATION_MS;
  const killed = systemClock.wait(INVOCATION_MS + SLACK_MS).then(() => 'killed');
  let ran = 0;
  const run = work.handle(async () => {
    ran += 1;
    throttle();
    await systemClock.wait(killedAt - LEFT_MS - systemClock.now());
  });
  const handler = createExecutor([run], { environment, journal: silentJournal });
  const answer = handler(eventOf(id), { awsRequestId: 'r', getRemainingTimeInMillis: () => killedAt - systemClock.now() });
  expect([await Promise.race([answer, killed]), ran]).toEqual([{ batchItemFailures: [{ itemIdentifier: 'm' }] }, 1]);
});
