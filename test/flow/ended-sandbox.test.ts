import { describe, expect, it } from 'vitest';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const SECOND = 1_000;
const LANE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const FIFO = { worker: 'default', lane: '', kind: 'fifo' } as const;
const work = defineJob('work', { payload: anyPayload });
const grouped = defineJob('grouped', { payload: anyPayload, group: (payload: Record<string, unknown>) => String(payload['g']) });
/** Its handler outlives its attempt, which ends the sandbox. */
const deaf = defineJob('deaf', { payload: anyPayload, timeout: 'PT10S', retry: 'R5/PT1S' });

function deafRig(options: RigOptions = {}) {
  const handlers = [deaf.handle(() => new Promise(() => {})), work.handle(() => undefined), grouped.handle(() => undefined)];
  return new Rig({ handlers, ...options });
}

/** Runs a batch until its sandbox ends. */
async function end(rig: Rig, messages: readonly ReceivedHint[], deps = rig.deps): Promise<void> {
  const ended = rig.execute(messages, deps).catch((error: unknown) => error);
  for (const ms of [0, 10 * SECOND, SECOND, 0]) {
    await rig.clock.advance(ms);
    await rig.settle();
  }
  expect(await ended).toBeInstanceOf(SandboxEndedError);
}

describe('before a sandbox ends itself', () => {
  it('the messages of finished jobs are deleted: they would stay hidden until their visibility timeout', async () => {
    const rig = deafRig();
    await rig.client.enqueue(deaf, {});
    await rig.client.enqueue(work, {});
    await end(rig, rig.hints.receive(LANE, 10));
    await rig.clock.advance(3_600 * SECOND);
    const left = rig.hints.receive(LANE, 10);
    expect(left.map(({ receiveCount }) => receiveCount)).toEqual([1]);
  });

  it('the next job of a group whose job has finished can be received at once', async () => {
    const rig = deafRig();
    await rig.client.enqueueMany(grouped, [{ g: 'a' }]);
    const first = rig.hints.receive(FIFO, 10);
    await rig.client.enqueueMany(grouped, [{ g: 'a' }]);
    await rig.client.enqueue(deaf, {});
    await end(rig, [...first, ...rig.hints.receive(LANE, 10)]);
    expect(rig.hints.receive(FIFO, 10)).toHaveLength(1);
  });

  it('a message that could not be read or copied comes back at once, and what was given back keeps its time', async () => {
    const rig = deafRig({ settings: { batchConcurrency: 1 } });
    await rig.client.enqueue(deaf, {});
    await rig.client.enqueue(work, {});
    rig.hints.inject(LANE, 'unreadable');
    const inbox = {
      discard: rig.hints.discard.bind(rig.hints),
      postpone: rig.hints.postpone.bind(rig.hints),
      reject: () => Promise.reject(new Error('no such queue')),
    };
    await end(rig, rig.hints.receive(LANE, 10), { ...rig.deps, inbox });
    const back = rig.hints.receive(LANE, 10);
    expect(back.map(({ body, receiveCount }) => [body === 'unreadable', receiveCount])).toEqual([
      [false, 2],
      [true, 2],
    ]);
  });

  it('a message that another executor has received meanwhile stays with it', async () => {
    const rig = deafRig();
    await rig.client.enqueue(work, {});
    const [held] = rig.hints.receive(LANE, 10);
    if (held === undefined) throw new Error('nothing was received');
    await rig.hints.postpone(held, 0);
    const [again] = rig.hints.receive(LANE, 10);
    await rig.client.enqueue(deaf, {});
    await end(rig, [held, ...rig.hints.receive(LANE, 10)]);
    await rig.hints.postpone(again ?? held, 0);
    expect(rig.hints.receive(LANE, 10).map(({ messageId }) => messageId)).toContain(held.messageId);
  });

  it('messages come first, then what was gathered is written out, and the end is last', async () => {
    const rig = deafRig();
    await rig.client.enqueue(deaf, {});
    const seen: string[] = [];
    const inbox = {
      discard: async () => void seen.push('discard'),
      postpone: rig.hints.postpone.bind(rig.hints),
      reject: rig.hints.reject.bind(rig.hints),
    };
    const flushEvents = async (): Promise<void> => void seen.push('flush');
    await end(rig, rig.hints.receive(LANE, 10), { ...rig.deps, inbox, flushEvents, sandbox: { end: () => void seen.push('end') } });
    expect(seen).toEqual(['discard', 'flush', 'end']);
  });

  it('nothing is deleted by an invocation that answers its event source', async () => {
    const rig = deafRig();
    await rig.client.enqueue(work, {});
    const inbox = {
      discard: () => Promise.reject(new Error('deleted')),
      postpone: rig.hints.postpone.bind(rig.hints),
      reject: rig.hints.reject.bind(rig.hints),
    };
    await rig.execute(rig.hints.receive(LANE, 10), { ...rig.deps, inbox });
    expect((await rig.counts()).jobs).toBe(0);
  });
});
