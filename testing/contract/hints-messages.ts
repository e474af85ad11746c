import assert from 'node:assert/strict';
import { decodeHint } from '../../shared/job/hint.ts';
import type { ContractCheck, HintsSubject } from './contract.ts';
import { A, drain, FIFO, HIGH, hint, idOf, idsOf, one, send, STANDARD } from './hints-parts.ts';

const PAST_A_SECOND_MS = 1_100;

/** The promises to senders and receivers of hints, for any queue. */
export const MESSAGES: readonly ContractCheck<HintsSubject>[] = [
  {
    title: 'a hint arrives in the queue of its lane and names its job',
    async check(subject) {
      await send(subject, hint(1, { n: 7, alone: true }), hint(2, { lane: 'high' }));
      const { body, queue, receiveCount } = await one(subject);
      assert.deepEqual(decodeHint(body), { v: 1, id: idOf(1), n: 7, alone: 1 });
      assert.deepEqual({ queue, receiveCount }, { queue: STANDARD, receiveCount: 1 });
      assert.deepEqual(idsOf(await subject.receive(HIGH)), [idOf(2)]);
    },
  },
  {
    title: 'any number of hints arrive, more than one request takes',
    async check(subject) {
      const hints = Array.from({ length: 43 }, (_, number) => hint(number, number % 2 === 0 ? {} : { lane: 'high' }));
      await send(subject, ...hints);
      const found = [...(await drain(subject, STANDARD)), ...(await drain(subject, HIGH))];
      assert.deepEqual(idsOf(found).toSorted(), hints.map(({ id }) => id).toSorted());
    },
  },
  {
    title: 'hints without a queue come back to the sender, the others arrive',
    async check(subject) {
      const strangers = [hint(1, { worker: 'nobody' }), hint(2, { worker: '__proto__' })];
      assert.deepEqual(await subject.hints.send([...strangers, hint(3)]), strangers);
      assert.deepEqual(idsOf(await subject.receive(STANDARD)), [idOf(3)]);
    },
  },
  {
    title: 'a hint of a lane that is gone arrives in the lane that takes its priority',
    async check(subject) {
      await send(subject, hint(1, { lane: 'nowhere' }), hint(2, { lane: '__proto__', priority: 10 }));
      assert.deepEqual(idsOf(await subject.receive(STANDARD)), [idOf(1)]);
      assert.deepEqual(idsOf(await subject.receive(HIGH)), [idOf(2)]);
    },
  },
  {
    title: 'a received message is hidden from others, an acknowledged one is gone',
    async check(subject) {
      await send(subject, hint(1));
      const message = await one(subject);
      assert.deepEqual(await subject.receive(STANDARD), []);
      await subject.acknowledge(message);
      await subject.hints.postpone(message, 0);
      assert.deepEqual(await subject.receive(STANDARD), []);
    },
  },
  {
    title: 'a postponed message comes back when its time has passed and counts its receives',
    async check(subject) {
      await send(subject, hint(1));
      await subject.hints.postpone(await one(subject), 900);
      assert.deepEqual(await subject.receive(STANDARD), []);
      await subject.pass(PAST_A_SECOND_MS);
      assert.equal((await one(subject)).receiveCount, 2);
    },
  },
  {
    title: 'a message postponed by nothing is visible at once',
    async check(subject) {
      await send(subject, hint(1));
      await subject.hints.postpone(await one(subject), 0);
      assert.equal((await one(subject)).receiveCount, 2);
    },
  },
  {
    title: 'postponing with a receipt that no longer holds does not throw',
    async check({ hints }) {
      await hints.postpone({ messageId: 'x', receiptHandle: 'x', body: '', queue: STANDARD, receiveCount: 1 }, 5);
    },
  },
  {
    title: 'discarded messages are gone, in whichever queue they were; others stay',
    async check(subject) {
      await send(subject, ...Array.from({ length: 12 }, (_, index) => hint(index)), hint(20, { lane: 'high' }));
      const received = [...(await subject.receive(STANDARD)), ...(await subject.receive(STANDARD)), await one(subject, HIGH)];
      const [kept, ...done] = received;
      await subject.hints.discard(done);
      for (const message of received) await subject.hints.postpone(message, 0);
      assert.deepEqual(idsOf(await drain(subject, STANDARD)), idsOf(kept === undefined ? [] : [kept]));
      assert.deepEqual(await subject.receive(HIGH), []);
    },
  },
  {
    title: 'discarding with a receipt that no longer holds, or nothing at all, does not throw',
    async check({ hints }) {
      await hints.discard([{ messageId: 'x', receiptHandle: 'x', body: '', queue: STANDARD, receiveCount: 1 }]);
      await hints.discard([]);
    },
  },
  {
    title: 'a delayed hint arrives when its delay has passed, rounded up to a second',
    async check(subject) {
      await send(subject, hint(1, { delayMs: 500 }));
      assert.deepEqual(await subject.receive(STANDARD), []);
      await subject.pass(PAST_A_SECOND_MS);
      assert.deepEqual(idsOf(await subject.receive(STANDARD)), [idOf(1)]);
    },
  },
  {
    title: 'a delay of more than a quarter of an hour is taken as that',
    async check(subject) {
      await send(subject, hint(1, { delayMs: 86_400_000 }));
      assert.deepEqual(await subject.receive(STANDARD), []);
    },
  },
  {
    title: 'the backlog counts what could be received',
    async check(subject) {
      await send(subject, hint(1), hint(2), hint(3, { delayMs: 600_000 }), hint(4, { lane: 'high' }));
      assert.equal(await subject.hints.visible(STANDARD), 2);
      await subject.receive(STANDARD);
      assert.equal(await subject.hints.visible(STANDARD), 0);
      assert.equal(await subject.hints.visible({ worker: 'nobody', lane: 'x', kind: 'standard' }), undefined);
    },
  },
  ...[STANDARD, FIFO].map((queue) => ({
    title: `a rejected message is copied to the dead-letter queue of its kind, with the reason (${queue.kind})`,
    async check(subject: HintsSubject) {
      await send(subject, hint(1, queue.kind === 'fifo' ? { groupHash: A } : {}));
      const message = await one(subject, queue);
      await subject.hints.reject(message, 'message: body is not JSON: "\u0000\u001b[31m"');
      const [dead] = await subject.rejected(queue.kind);
      assert.equal(dead?.body, message.body);
      assert.match(dead?.reason ?? '', /message: body is not JSON/);
    },
  })),
];
