import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { groupHash, type Hint } from '../../../shared/job/hint.ts';
import type { ReceivedHint } from '../../../shared/ports/hints.ts';
import type { JournalEntry } from '../../../shared/ports/journal.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { SqsDeps } from '../../../shared/adapters/sqs/caller.ts';
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

const scriptedHints = (...steps: Step[]) => hintsOver(steps);
/** What several callers send in one turn shares requests. */
const sharedHints = (...steps: Step[]) => hintsOver(steps, { afterTurn: (run: () => void) => void setImmediate(run) });

function hintsOver(steps: readonly Step[], turns: Pick<SqsDeps, 'afterTurn'> = {}) {
  const handler = scriptedHandler(...steps);
  const clock = new JumpingClock();
  const journal: JournalEntry[] = [];
  const hints = createSqsHints({
    client: createSqsClient({ ...EMULATOR_ACCESS, requestHandler: handler }),
    workers: new Map([['w', URLS]]),
    clock,
    entropy: seededEntropy(1),
    journal: { record: (entry) => void journal.push(entry), gauge: () => {}, flush: () => {} },
    ...turns,
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

describe('hints that several callers send in one turn', () => {
  const idsIn = (request: SeenRequest): readonly unknown[] =>
    entriesOf(request).map(({ MessageBody }) => (JSON.parse(MessageBody) as Hint).id);

  test('share requests of ten for each queue', async () => {
    const { hints, requests } = sharedHints(failing([]));
    const all = many(12);
    expect(await Promise.all(all.map((one) => hints.send([one])))).toEqual(all.map(() => []));
    expect(requests.map(idsIn)).toEqual([all.slice(0, 10).map(({ id }) => id), all.slice(10).map(({ id }) => id)]);
  });

  test('go to their own queues', async () => {
    const { hints, requests } = sharedHints(failing([]));
    const grouped = { groupHash: groupHash('g') };
    await Promise.all([hints.send([hint(1), hint(2, grouped)]), hints.send([hint(3, grouped), hint(4)])]);
    expect(requests.map(({ body }) => body['QueueUrl'])).toEqual([URLS.lanes.normal, URLS.fifo]);
    expect(requests.map(idsIn)).toEqual([
      [idOf(1), idOf(4)],
      [idOf(2), idOf(3)],
    ]);
  });

  test('are given back to their own callers where they were not taken', async () => {
    const [taken, refused, nowhere] = [hint(1), hint(2), hint(3, { worker: 'gone' })];
    const { hints, requests } = sharedHints(failing([1], true));
    expect(await Promise.all([hints.send([taken]), hints.send([refused, nowhere]), hints.send([])])).toEqual([[], [nowhere, refused], []]);
    expect(requests).toHaveLength(1);
  });

  test('wait only for the request that they are in', async () => {
    const { hints, requests, clock } = sharedHints((request) =>
      request.body['QueueUrl'] === URLS.fifo ? brokenConnection()(request) : failing([])(request),
    );
    const before = clock.now();
    const broken = hints.send([hint(1, { groupHash: groupHash('g') })]);
    expect(await hints.send([hint(2)])).toEqual([]);
    expect(clock.now()).toBe(before);
    expect(await broken).toHaveLength(1);
    expect(requests.length).toBeGreaterThan(2);
  });

  test('of one turn and the next do not', async () => {
    const { hints, requests } = sharedHints(failing([]));
    await hints.send([hint(1)]);
    await hints.send([hint(2)]);
    expect(requests.map(idsIn)).toEqual([[idOf(1)], [idOf(2)]]);
  });
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

test('messages are discarded in batches of ten for each queue; what SQS does not take is noted, not thrown', async () => {
  const { hints, requests, journal } = scriptedHints(answer({ Failed: [{ Id: '0', Code: 'ReceiptHandleIsInvalid' }, { Id: '1' }] }));
  const lane = Array.from({ length: 11 }, (_, index) => ({ ...MESSAGE, receiptHandle: `r${index}` }));
  await hints.discard([...lane, { ...MESSAGE, queue: { ...MESSAGE.queue, kind: 'fifo' as const } }]);
  const sent = requests.map(({ body }) => [body['QueueUrl'], (body['Entries'] as readonly object[]).length]);
  expect(sent).toEqual([
    [URLS.lanes.normal, 10],
    [URLS.lanes.normal, 1],
    [URLS.fifo, 1],
  ]);
  expect(requests[0]?.body['Entries']).toContainEqual({ Id: '9', ReceiptHandle: 'r9' });
  expect(journal[0]).toEqual({ event: 'send-failed', worker: 'w', count: 2, reason: 'discard: ReceiptHandleIsInvalid' });
});

test('a queue that takes no deletion is noted with all its messages, and nothing is thrown', async () => {
  const { hints, journal } = scriptedHints(serviceError('AccessDenied'));
  await hints.discard([MESSAGE, MESSAGE]);
  await hints.discard([]);
  expect(journal).toEqual([{ event: 'send-failed', worker: 'w', count: 2, reason: 'discard: AccessDenied' }]);
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
