import assert from 'node:assert/strict';
import type { ContractCheck, SourceSubject } from './contract.ts';
import { A, FIFO, hint, idOf, idsOf, send, STANDARD } from './hints-parts.ts';

const SECOND_MS = 1_100;

/** Everything that the port `HintSource` promises, as checks for any test runner; see `tablesContract`. */
export const sourceContract: readonly ContractCheck<SourceSubject>[] = [
  {
    title: 'a poll gives what is there, of its queue and no more than was asked for',
    async check(subject) {
      await send(subject, hint(1), hint(2), hint(3), hint(4, { groupHash: A }));
      const two = await subject.source.receive(STANDARD, { max: 2, waitMs: 0 });
      assert.equal(two.length, 2);
      assert.deepEqual(
        two.map(({ queue, receiveCount }) => ({ queue, receiveCount })),
        two.map(() => ({ queue: STANDARD, receiveCount: 1 })),
      );
      const rest = await subject.source.receive(STANDARD, { max: 10, waitMs: 0 });
      assert.deepEqual(idsOf([...two, ...rest]).toSorted(), [1, 2, 3].map(idOf).toSorted());
      assert.deepEqual(idsOf(await subject.source.receive(FIFO, { max: 10, waitMs: 0 })), [idOf(4)]);
    },
  },
  {
    title: 'an acknowledged message is gone, one that was postponed comes back and counts its receives',
    async check(subject) {
      await send(subject, hint(1), hint(2));
      for (const message of await subject.source.receive(STANDARD, { max: 10, waitMs: 0 })) {
        if (idsOf([message])[0] === idOf(1)) await subject.source.acknowledge(message);
        else await subject.hints.postpone(message, 900);
      }
      assert.deepEqual(await subject.source.receive(STANDARD, { max: 10, waitMs: 0 }), []);
      await subject.pass(SECOND_MS);
      const back = await subject.source.receive(STANDARD, { max: 10, waitMs: 0 });
      assert.deepEqual(idsOf(back), [idOf(2)]);
      assert.equal(back[0]?.receiveCount, 2);
    },
  },
  {
    title: 'a poll waits for a message that comes later, and ends without one when its wait is over',
    async check(subject) {
      const waiting = subject.source.receive(STANDARD, { max: 10, waitMs: 3_000 });
      await subject.pass(200);
      await send(subject, hint(1));
      await subject.pass(SECOND_MS);
      const [message] = await waiting;
      assert.ok(message !== undefined, 'the poll ended without the message');
      await subject.source.acknowledge(message);
      const empty = subject.source.receive(STANDARD, { max: 10, waitMs: 1_000 });
      await subject.pass(SECOND_MS);
      assert.deepEqual(await empty, []);
    },
  },
  {
    title: 'a poll that is called off ends without a message, and does not throw',
    async check(subject) {
      const off = new AbortController();
      const waiting = subject.source.receive(STANDARD, { max: 10, waitMs: 20_000, signal: off.signal });
      await subject.pass(100);
      off.abort();
      assert.deepEqual(await waiting, []);
      assert.deepEqual(await subject.source.receive(STANDARD, { max: 10, waitMs: 20_000, signal: off.signal }), []);
    },
  },
];
