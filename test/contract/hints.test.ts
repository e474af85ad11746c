import { beforeEach, describe, expect, test } from 'vitest';
import { decodeHint, groupHash, type Hint } from '../../shared/core/hint.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import { idOf } from '../support/job-rows.ts';
import { FIFO, HIGH, HINTS_UNDER_TEST, type HintsUnderTest, PLAIN, STANDARD } from './hints-under-test.ts';

const hint = (seed: number, change: Partial<Hint> = {}): Hint => ({
  id: idOf(seed),
  n: 1,
  worker: 'w',
  lane: 'normal',
  delayMs: 0,
  alone: false,
  ...change,
});
const A = groupHash('customer A');
const B = groupHash('customer B');
const ids = (messages: readonly ReceivedHint[]): string[] => messages.map((message) => decodeHint(message.body).id);

describe.each(HINTS_UNDER_TEST)('hints in %s', (_, open) => {
  let under: HintsUnderTest;
  beforeEach(async () => {
    under = await open();
  });
  const send = async (...hints: Hint[]) => expect(await under.hints.send(hints)).toEqual([]);
  const one = async (queue = STANDARD): Promise<ReceivedHint> => {
    const [message] = await under.receive(queue);
    if (message === undefined) throw new Error('no message');
    return message;
  };
  /** Everything that the FIFO queue gives, each page acknowledged: SQS may give several of a group at once, fauxqs gives one. */
  const drainFifo = async (): Promise<readonly ReceivedHint[]> => {
    const messages: ReceivedHint[] = [];
    for (let page = await under.receive(FIFO); page.length > 0; page = await under.receive(FIFO)) {
      for (const message of page) await under.acknowledge(message);
      messages.push(...page);
    }
    return messages;
  };

  test('a hint arrives in the queue of its lane and names its job', async () => {
    await send(hint(1, { n: 7, alone: true }), hint(2, { lane: 'high' }));
    const message = await one();
    expect(decodeHint(message.body)).toEqual({ v: 1, id: idOf(1), n: 7, alone: 1 });
    expect(message).toMatchObject({ queue: STANDARD, receiveCount: 1 });
    expect(ids(await under.receive(HIGH))).toEqual([idOf(2)]);
  });

  test('any number of hints arrive, whatever the size of a batch', async () => {
    const hints = Array.from({ length: 43 }, (_one, seed) => hint(seed, seed % 2 === 0 ? {} : { lane: 'high' }));
    await send(...hints);
    const found: string[] = [];
    for (const queue of [STANDARD, HIGH]) {
      for (let page = await under.receive(queue); page.length > 0; page = await under.receive(queue)) found.push(...ids(page));
    }
    expect(found.toSorted()).toEqual(hints.map(({ id }) => id).toSorted());
  });

  test('hints without a queue come back to the sender, the others arrive', async () => {
    const strangers = [hint(1, { worker: 'nobody' }), hint(2, { lane: 'nowhere' }), hint(3, { lane: '__proto__' })];
    expect(await under.hints.send([...strangers, hint(4)])).toEqual(strangers);
    expect(ids(await under.receive(STANDARD))).toEqual([idOf(4)]);
  });

  test('a received message is hidden from others, an acknowledged one is gone', async () => {
    await send(hint(1));
    const message = await one();
    expect(await under.receive(STANDARD)).toEqual([]);
    await under.acknowledge(message);
    await under.hints.postpone(message, 0);
    expect(await under.receive(STANDARD)).toEqual([]);
  });

  test('a postponed message comes back when its time has passed and counts its receives', async () => {
    await send(hint(1));
    await under.hints.postpone(await one(), 900);
    expect(await under.receive(STANDARD)).toEqual([]);
    await under.pass(1_100);
    expect(await one()).toMatchObject({ receiveCount: 2 });
  });

  test('a message postponed by nothing is visible at once', async () => {
    await send(hint(1));
    await under.hints.postpone(await one(), 0);
    expect(await one()).toMatchObject({ receiveCount: 2 });
  });

  test('postponing with a receipt that no longer holds does not throw', async () => {
    await expect(
      under.hints.postpone({ messageId: 'x', receiptHandle: 'x', body: '', queue: STANDARD, receiveCount: 1 }, 5),
    ).resolves.toBeUndefined();
  });

  test('a delayed hint arrives when its delay has passed, rounded up to a second', async () => {
    await send(hint(1, { delayMs: 500 }));
    expect(await under.receive(STANDARD)).toEqual([]);
    await under.pass(1_100);
    expect(ids(await under.receive(STANDARD))).toEqual([idOf(1)]);
  });

  test('a delay of more than a quarter of an hour is taken as that', async () => {
    await send(hint(1, { delayMs: 86_400_000 }));
    expect(await under.receive(STANDARD)).toEqual([]);
  });

  test('a grouped hint goes to the FIFO queue with its group', async () => {
    await send(hint(1, { groupHash: A }));
    expect(await under.receive(STANDARD)).toEqual([]);
    expect(decodeHint((await one(FIFO)).body)).toEqual({ v: 1, id: idOf(1), n: 1, g: A });
  });

  test('a grouped hint with a delay waits in the standard queue of its lane, marked to be forwarded', async () => {
    await send(hint(1, { groupHash: A, delayMs: 500, lane: 'high' }));
    expect(await under.receive(FIFO)).toEqual([]);
    await under.pass(1_100);
    expect(decodeHint((await one(HIGH)).body)).toEqual({ v: 1, id: idOf(1), n: 1, g: A, fwd: 1 });
  });

  test('a grouped hint of a worker without a FIFO queue goes to its lane and is not forwarded', async () => {
    await send(hint(1, { worker: 'plain', groupHash: A }));
    expect(decodeHint((await one(PLAIN)).body)).toEqual({ v: 1, id: idOf(1), n: 1, g: A });
  });

  test('a group keeps its order and is passed over while one of it is in flight, other groups are not', async () => {
    await send(hint(1, { groupHash: A }));
    const first = await one(FIFO);
    await send(hint(2, { groupHash: A }), hint(3, { groupHash: B }));
    await send(hint(4, { groupHash: A }));
    expect(ids(await under.receive(FIFO))).toEqual([idOf(3)]);
    await under.acknowledge(first);
    expect(ids(await drainFifo())).toEqual([idOf(2), idOf(4)]);
  });

  test('a postponed message keeps its group waiting and comes back in its place', async () => {
    await send(hint(1, { groupHash: A }));
    await under.hints.postpone(await one(FIFO), 900);
    await send(hint(2, { groupHash: A }));
    expect(await under.receive(FIFO)).toEqual([]);
    await under.pass(1_100);
    expect(ids(await drainFifo())).toEqual([idOf(1), idOf(2)]);
  });

  test('the same hint sent twice arrives once on FIFO, the next dispatch of the job arrives', async () => {
    await send(hint(1, { groupHash: A, n: 1 }));
    await send(hint(1, { groupHash: A, n: 1 }), hint(1, { groupHash: A, n: 2 }));
    expect((await drainFifo()).map((message) => decodeHint(message.body).n)).toEqual([1, 2]);
  });

  test('the backlog counts what could be received', async () => {
    await send(hint(1), hint(2), hint(3, { delayMs: 600_000 }), hint(4, { lane: 'high' }));
    expect(await under.hints.visible(STANDARD)).toBe(2);
    await under.receive(STANDARD);
    expect(await under.hints.visible(STANDARD)).toBe(0);
    expect(await under.hints.visible({ worker: 'nobody', lane: 'x', kind: 'standard' })).toBeUndefined();
  });

  test.each([STANDARD, FIFO])(
    'a rejected message is copied to the dead-letter queue of its kind, with the reason ($kind)',
    async (queue) => {
      await send(hint(1, queue.kind === 'fifo' ? { groupHash: A } : {}));
      const message = await one(queue);
      await under.hints.reject(message, 'message: body is not JSON: "\u0000\u001b[31m"');
      const [dead] = await under.rejected(queue.kind);
      expect(dead?.body).toBe(message.body);
      expect(dead?.reason).toContain('message: body is not JSON');
    },
  );
});
