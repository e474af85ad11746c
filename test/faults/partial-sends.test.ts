import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { aimAt, type Fault } from '../../testing/index.ts';
import { type FaultySqs, faultySqs } from '../support/faulty-clients.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { receiveFromSqs, sendToSqs } from '../support/sdk-queue.ts';

const MINUTE = 60_000;
const JOBS = 25;
const SENDS = aimAt('SendMessageBatch');
const work = defineJob('work', { payload: anyPayload });

async function rigOnSqs(): Promise<{ readonly rig: Rig; readonly sqs: FaultySqs }> {
  const sqs = await faultySqs();
  const rig = new Rig();
  sendToSqs(rig, sqs);
  return { rig, sqs };
}

/** The ids of all messages in the queue. */
async function queued(sqs: FaultySqs): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const messages = await receiveFromSqs(sqs);
    if (messages.length === 0) return ids;
    ids.push(...messages.map(({ body }) => (JSON.parse(body) as { id: string }).id));
  }
}

const many = async (rig: Rig): Promise<readonly string[]> => {
  const payloads = Array.from({ length: JOBS }, (_, n) => ({ n }));
  return (await rig.client.enqueueMany(work, payloads)).ids as readonly string[];
};

describe('a batch of hints that SQS takes in part', () => {
  it('is completed: each job has one message', async () => {
    const { rig, sqs } = await rigOnSqs();
    sqs.faults.next(SENDS, { fault: 'partial', entries: (index) => index % 2 === 0 }, 4);
    const ids = await many(rig);
    expect(sqs.faults.pending()).toBe(0);
    expect((await queued(sqs)).toSorted()).toEqual([...ids].toSorted());
    expect(rig.journal.count('send-failed')).toBe(0);
  });

  it.each<[string, Fault, number]>([
    ['goes on failing in part', { fault: 'partial', entries: (index) => index === 0 }, 3],
    ['can never be taken as it is', { fault: 'partial', entries: (index) => index === 0, senderFault: true }, 3],
    ['fails as a whole', { fault: 'partial', entries: () => true }, JOBS],
    ['never gets an answer', 'unavailable', JOBS],
  ])('%s: what is left is journalled, and the sweeper sends it', async (_title, fault, left) => {
    const { rig, sqs } = await rigOnSqs();
    sqs.faults.rate(fault, 1, SENDS);
    const ids = await many(rig);
    expect(rig.journal.count('send-failed')).toBe(left);
    sqs.faults.stop();
    const first = await queued(sqs);
    expect(first).toHaveLength(JOBS - left);
    await rig.clock.advance(7 * MINUTE);
    expect((await rig.sweep()).counts.reset).toBeGreaterThanOrEqual(left);
    expect(new Set([...first, ...(await queued(sqs))])).toEqual(new Set(ids));
  });

  it('loses the reply of a send: the job has two messages and no failure', async () => {
    const { rig, sqs } = await rigOnSqs();
    sqs.faults.next(SENDS, 'lost-reply');
    const { id } = await rig.client.enqueue(work, {});
    expect([await queued(sqs), rig.journal.count('send-failed')]).toEqual([[id, id], 0]);
  });

  it('is throttled for a while: everything is sent', async () => {
    const { rig, sqs } = await rigOnSqs();
    sqs.faults.next(SENDS, 'throttle', 3);
    const ids = await many(rig);
    expect(sqs.faults.counts()).toEqual({ throttle: 3 });
    expect((await queued(sqs)).toSorted()).toEqual([...ids].toSorted());
  });
});
