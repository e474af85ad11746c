import { expect, test } from 'vitest';
import { PERMISSIONS } from '../../infra/permissions.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { createSqsClient } from '../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../shared/adapters/sqs/hints.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { idOf } from '../support/job-rows.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { answer, scriptedHandler } from '../support/scripted-handler.ts';

const URLS = { lanes: { default: 'https://sqs/lane' }, deadLetterQueue: 'https://sqs/dead' };
const message: ReceivedHint = {
  messageId: 'm',
  receiptHandle: 'r',
  body: 'b',
  queue: { worker: 'w', lane: 'default', kind: 'standard' },
  receiveCount: 1,
};

/** IAM knows no action of its own for a batch: it checks that of a single message. */
const actionOf = (operation: string): string => operation.replace(/Batch$/, '');

test('an executor may do to its queues what the adapter asks of SQS, and its event source the rest', async () => {
  const handler = scriptedHandler(answer());
  const client = createSqsClient({ ...EMULATOR_ACCESS, requestHandler: handler });
  const hints = createSqsHints({ client, workers: new Map([['w', URLS]]), clock: new JumpingClock(), entropy: seededEntropy(1) });
  const { queues = [], ownQueues = [], ownDeadLetterQueues = [] } = PERMISSIONS.executor;
  const asked = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    handler.requests.length = 0;
    await work().catch(() => undefined);
    return [...new Set(handler.requests.map(({ operation }) => actionOf(operation)))];
  };
  const hint = { id: idOf(1), n: 1, worker: 'w', lane: 'default', delayMs: 0, alone: false };
  expect(await asked(() => hints.send([hint]))).toEqual(queues);
  expect(await asked(() => hints.reject(message, 'why'))).toEqual(ownDeadLetterQueues);
  const own = [...(await asked(() => hints.discard([message]))), ...(await asked(() => hints.postpone(message, 0)))];
  expect(own).toEqual(['DeleteMessage', 'ChangeMessageVisibility']);
  expect(ownQueues).toEqual(expect.arrayContaining(own));
});
