import { defineJob } from '../../../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../../../shared/ports/hint-source.ts';
import { WorkerPool } from '../../../../functions/worker/worker-pool.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const SECOND = 1_000;
const STANDARD = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });
/** Its handler outlives its attempt. */
const deaf = defineJob('deaf', { payload: anyPayload, timeout: 'PT10S' });

interface Lost {
  readonly rule: 'hint-kept';
  readonly what: string;
}

/** Messages that a process holds and cannot use are there for the next one, soon. */
export async function keptMessages(): Promise<readonly Lost[]> {
  return [...(await unreadable()), ...(await inHand()), ...(await finishedInEndedSandbox())];
}

/** The dead-letter queue does not take the copy of an unreadable message. */
async function unreadable(): Promise<readonly Lost[]> {
  const rig = new Rig();
  rig.hints.inject(STANDARD, 'unreadable');
  const inbox = {
    discard: rig.hints.discard.bind(rig.hints),
    postpone: rig.hints.postpone.bind(rig.hints),
    reject: () => Promise.reject(new Error('no such queue')),
  };
  const back = await rig.execute(rig.hints.receive(STANDARD, 10), { ...rig.deps, inbox });
  return back.length === 1 ? [] : [{ rule: 'hint-kept', what: 'an unreadable message that was copied nowhere' }];
}

/** A handler ends its sandbox: the message of its finished neighbour would stay hidden, and in a FIFO queue its group with it. */
async function finishedInEndedSandbox(): Promise<readonly Lost[]> {
  const rig = new Rig({ handlers: [deaf.handle(() => new Promise(() => {})), work.handle(() => undefined)] });
  await rig.client.enqueue(deaf, {});
  await rig.client.enqueue(work, {});
  const ended = rig.execute(rig.hints.receive(STANDARD, 10)).catch(() => 'ended');
  await pass(rig, 15 * SECOND);
  await ended;
  await rig.clock.advance(3_600 * SECOND);
  const receives = rig.hints.receive(STANDARD, 10).map(({ receiveCount }) => receiveCount);
  return Math.max(...receives) === 1 ? [] : [{ rule: 'hint-kept', what: 'a finished message that an ended sandbox left hidden' }];
}

/** A worker outside Lambda is stopped while a job that may have killed a process waits for its running jobs. */
async function inHand(): Promise<readonly Lost[]> {
  const rig: Rig = new Rig({ handlers: [work.handle(({ signal }) => rig.clock.wait(600 * SECOND, signal))] });
  const memory = createMemoryHintSource(rig.hints, rig.clock);
  let suspect = '';
  const source: HintSource = {
    ...memory,
    receive: async (...args) => {
      const messages = await memory.receive(...args);
      return messages.map((message) =>
        message.body.includes(suspect || '-') ? { ...message, receiveCount: suspect === '' ? 1 : 9 } : message,
      );
    },
  };
  const stop = new AbortController();
  await rig.client.enqueue(work, {});
  const pool = new WorkerPool(rig.deps, { source, queues: [STANDARD], concurrency: 2, drainMs: SECOND, stop: stop.signal });
  const ended = pool.work();
  await pass(rig, 5 * SECOND);
  suspect = (await rig.client.enqueue(work, {})).id;
  await pass(rig, 5 * SECOND);
  stop.abort();
  await rig.until(ended);
  await rig.clock.advance(SECOND);
  const bodies = rig.hints.receive(STANDARD, 10).map(({ body }) => body);
  return bodies.some((body) => body.includes(suspect)) ? [] : [{ rule: 'hint-kept', what: 'a message that a stopped worker had in hand' }];
}

async function pass(rig: Rig, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= SECOND) {
    await rig.settle();
    await rig.clock.advance(SECOND);
  }
}
