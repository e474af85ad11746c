import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { groupHash, type Hint } from '../../../shared/core/hint.ts';
import type { ReceivedHint } from '../../../shared/ports/hints.ts';
import type { JournalEntry } from '../../../shared/ports/journal.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { createSqsClient } from '../../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../../shared/adapters/sqs/hints.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { idOf } from '../../support/job-rows.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { answer, brokenConnection, scriptedHandler, type SeenRequest, serviceError, type Step } from '../../support/scripted-handler.ts';

const URLS = {
  lanes: { normal: 'https://sqs.us-east-1.amazonaws.com/1/n' },
  fifo: 'https://sqs.us-east-1.amazonaws.com/1/f.fifo',
  deadLetterQueue: 'https://evil.example/1/d',
};
const MESSAGE: ReceivedHint = {
  messageId: 'm',
  receiptHandle: 'r',
  body: 'body',
  queue: { worker: 'w', lane: 'normal', kind: 'standard' },
  receiveCount: 1,
};

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const entriesOf = (request: SeenRequest): readonly Entry[] => request.body['Entries'] as Entry[];
/** Takes a batch but for the entries at these places. */
const failing =
  (places: readonly number[], SenderFault = false): Step =>
  (request) => {
    const failed = entriesOf(request).filter((_, place) => places.includes(place));
    return {
      status: 200,
      body: {
        Successful: entriesOf(request)
          .filter((entry) => !failed.includes(entry))
          .map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) })),
        Failed: failed.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault })),
      },
    };
  };

function scriptedHints(...steps: Step[]) {
  const handler = scriptedHandler(...steps);
  const clock = new JumpingClock();
  const journal: JournalEntry[] = [];
  const hints = createSqsHints({
    client: createSqsClient({ ...EMULATOR_ACCESS, requestHandler: handler }),
    workers: new Map([['w', URLS]]),
    clock,
    entropy: seededEntropy(1),
    journal: { record: (entry) => void journal.push(entry), gauge: () => {}, flush: () => {} },
  });
  return { ...handler, hints, clock, journal };
}

const hint = (seed: number, change: Partial<Hint> = {}): Hint => ({
  id: idOf(seed),
  n: 3,
  worker: 'w',
  lane: 'normal',
  delayMs: 0,
  alone: false,
  ...change,
});
const many = (count: number): Hint[] => Array.from({ length: count }, (_, seed) => hint(seed));

test('hints go out in batches of ten', async () => {
  const { hints, requests } = scriptedHints(failing([]));
  expect(await hints.send(many(25))).toEqual([]);
  expect(requests.map((request) => entriesOf(request).length)).toEqual([10, 10, 5]);
});

test('entries that failed in a batch that succeeded are sent again, and only those', async () => {
  const { hints, requests, clock } = scriptedHints(failing([2, 7]), failing([1]), failing([]));
  expect(await hints.send(many(10))).toEqual([]);
  expect(requests.map((request) => entriesOf(request).length)).toEqual([10, 2, 1]);
  expect(JSON.parse(entriesOf(requests[2] as SeenRequest)[0]?.MessageBody ?? '')).toMatchObject({ id: idOf(7) });
  expect(clock.waits).toHaveLength(2);
});

test('entries that keep failing are given back after three tries', async () => {
  const { hints, requests } = scriptedHints(failing([0]));
  expect(await hints.send(many(3))).toEqual([hint(0)]);
  expect(requests).toHaveLength(3);
});

test('a send that took so long that the SDK has tried enough is not made again', async () => {
  const { hints, requests, clock } = scriptedHints((request) => {
    clock.pass(3_000);
    return failing([0])(request);
  });
  expect(await hints.send(many(3))).toEqual([hint(0)]);
  expect(requests).toHaveLength(1);
});

test('a batch of which every entry failed is not taken for sent', async () => {
  const { hints } = scriptedHints(failing([0, 1, 2]));
  expect(await hints.send(many(3))).toEqual(many(3));
});

test("entries that are the sender's fault are not sent again", async () => {
  const { hints, requests } = scriptedHints(failing([1], true));
  expect(await hints.send(many(3))).toEqual([hint(1)]);
  expect(requests).toHaveLength(1);
});

test('a send that fails as a whole gives its hints back and does not throw', async () => {
  const { hints } = scriptedHints(brokenConnection());
  expect(await hints.send(many(2))).toEqual(many(2));
  expect(await scriptedHints(serviceError('AccessDenied')).hints.send(many(2))).toEqual(many(2));
});

test('a message that arrived garbled is not taken for sent', async () => {
  const { hints } = scriptedHints(
    answer({ Successful: [{ Id: '0', MessageId: 'm', MD5OfMessageBody: md5('something else') }], Failed: [] }),
  );
  expect(await hints.send([hint(1)])).toEqual([hint(1)]);
});

test('a standard queue gets the delay and the tenant, a FIFO queue the group and what tells duplicates', async () => {
  const { hints, requests } = scriptedHints(failing([]));
  const group = groupHash('Mueller & Soehne');
  await hints.send([
    hint(1, { delayMs: 1_001, tenantHash: groupHash('tenant') }),
    hint(2, { groupHash: group }),
    hint(3, { groupHash: group, delayMs: 5_000_000 }),
  ]);
  const body = (seed: number, more: object = {}) => JSON.stringify({ v: 1, id: idOf(seed), n: 3, ...more });
  expect(requests.map((request) => request.body)).toEqual([
    {
      QueueUrl: URLS.lanes.normal,
      Entries: [
        { Id: '0', MessageBody: body(1), DelaySeconds: 2, MessageGroupId: groupHash('tenant') },
        { Id: '1', MessageBody: body(3, { g: group, fwd: 1 }), DelaySeconds: 900 },
      ],
    },
    {
      QueueUrl: URLS.fifo,
      Entries: [{ Id: '0', MessageBody: body(2, { g: group }), MessageGroupId: group, MessageDeduplicationId: `${idOf(2)}#3` }],
    },
  ]);
});

test('a postponed message becomes visible after whole seconds, rounded up, at most twelve hours', async () => {
  const { hints, requests } = scriptedHints(answer());
  for (const ms of [-5, 0, 1, 1_500, 1e12]) await hints.postpone(MESSAGE, ms);
  expect(requests.map((request) => request.body['VisibilityTimeout'])).toEqual([0, 0, 1, 2, 43_200]);
});

test('a visibility that could not be changed is noted, not thrown', async () => {
  const { hints, journal } = scriptedHints(serviceError('ReceiptHandleIsInvalid'));
  await hints.postpone(MESSAGE, 5);
  expect(journal).toEqual([{ event: 'send-failed', worker: 'w', reason: 'visibility: ReceiptHandleIsInvalid' }]);
});

test('rejecting throws when the copy could not be made, so that the message is not acknowledged', async () => {
  const { hints } = scriptedHints(serviceError('AccessDenied'));
  await expect(hints.reject(MESSAGE, 'unreadable')).rejects.toThrow('reject');
  await expect(hints.reject({ ...MESSAGE, queue: { ...MESSAGE.queue, kind: 'fifo' } }, 'unreadable')).rejects.toThrow(
    'no fifo dead-letter queue',
  );
});

test('a queue URL never says where a signed request goes', async () => {
  const { hints, requests } = scriptedHints(answer({ MD5OfMessageBody: md5('body') }));
  await hints.reject(MESSAGE, 'unreadable');
  expect(requests[0]).toMatchObject({ host: 'sqs.us-east-1.amazonaws.com', body: { QueueUrl: 'https://evil.example/1/d' } });
});

test('a backlog that cannot be read is unknown, not empty', async () => {
  expect(await scriptedHints(serviceError('AccessDenied')).hints.visible(MESSAGE.queue)).toBeUndefined();
  expect(await scriptedHints(answer({ Attributes: {} })).hints.visible(MESSAGE.queue)).toBeUndefined();
});
