import assert from 'node:assert/strict';
import { decodeHint } from '../../shared/job/hint.ts';
import type { ContractCheck, HintsSubject } from './contract.ts';
import { A, B, drain, FIFO, HIGH, hint, idOf, idsOf, one, PLAIN, send, STANDARD } from './hints-parts.ts';

const PAST_A_SECOND_MS = 1_100;

/** What hints of grouped jobs are promised. */
export const GROUPS: readonly ContractCheck<HintsSubject>[] = [
  {
    title: 'a grouped hint goes to the FIFO queue with its group',
    async check(subject) {
      await send(subject, hint(1, { groupHash: A }));
      assert.deepEqual(await subject.receive(STANDARD), []);
      assert.deepEqual(decodeHint((await one(subject, FIFO)).body), { v: 1, id: idOf(1), n: 1, g: A });
    },
  },
  {
    title: 'a grouped hint with a delay waits in the standard queue of its lane, marked to be forwarded',
    async check(subject) {
      await send(subject, hint(1, { groupHash: A, delayMs: 500, lane: 'high' }));
      assert.deepEqual(await subject.receive(FIFO), []);
      await subject.pass(PAST_A_SECOND_MS);
      assert.deepEqual(decodeHint((await one(subject, HIGH)).body), { v: 1, id: idOf(1), n: 1, g: A, fwd: 1 });
    },
  },
  {
    title: 'a grouped hint of a worker without a FIFO queue goes to its lane and is not forwarded',
    async check(subject) {
      await send(subject, hint(1, { worker: 'plain', groupHash: A }));
      assert.deepEqual(decodeHint((await one(subject, PLAIN)).body), { v: 1, id: idOf(1), n: 1, g: A });
    },
  },
  {
    title: 'a group keeps its order and is passed over while one of it is in flight, other groups are not',
    async check(subject) {
      await send(subject, hint(1, { groupHash: A }));
      const first = await one(subject, FIFO);
      await send(subject, hint(2, { groupHash: A }), hint(3, { groupHash: B }));
      await send(subject, hint(4, { groupHash: A }));
      assert.deepEqual(idsOf(await subject.receive(FIFO)), [idOf(3)]);
      await subject.acknowledge(first);
      assert.deepEqual(idsOf(await drain(subject, FIFO)), [idOf(2), idOf(4)]);
    },
  },
  {
    title: 'a postponed message keeps its group waiting and comes back in its place',
    async check(subject) {
      await send(subject, hint(1, { groupHash: A }));
      await subject.hints.postpone(await one(subject, FIFO), 900);
      await send(subject, hint(2, { groupHash: A }));
      assert.deepEqual(await subject.receive(FIFO), []);
      await subject.pass(PAST_A_SECOND_MS);
      assert.deepEqual(idsOf(await drain(subject, FIFO)), [idOf(1), idOf(2)]);
    },
  },
  {
    title: 'the same hint sent twice arrives once on FIFO, the next dispatch of the job arrives',
    async check(subject) {
      await send(subject, hint(1, { groupHash: A, n: 1 }));
      await send(subject, hint(1, { groupHash: A, n: 1 }), hint(1, { groupHash: A, n: 2 }));
      const arrived = await drain(subject, FIFO);
      assert.deepEqual(
        arrived.map((message) => decodeHint(message.body).n),
        [1, 2],
      );
    },
  },
];
