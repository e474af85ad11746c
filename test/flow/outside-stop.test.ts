import { expect, test } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import { WorkerPool } from '../../functions/worker/worker-pool.ts';
import { startOutside } from '../support/outside-worker.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const STANDARD = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const render = defineJob('render', { payload: anyPayload });

test('a worker that is stopped while it sorts out what it received starts nothing of it, and gives it back', async () => {
  let started = 0;
  const rig = new Rig({ handlers: [render.handle(() => void started++)] });
  const stop = new AbortController();
  const memory = createMemoryHintSource(rig.hints, rig.clock);
  // The stop comes while the poll's unreadable message is put aside.
  const source: HintSource = {
    ...memory,
    acknowledge: async (message) => {
      stop.abort();
      await rig.clock.wait(1_000);
      await memory.acknowledge(message);
    },
  };
  const { id } = await rig.client.enqueue(render, {});
  rig.hints.inject(STANDARD, 'unreadable');
  const pool = new WorkerPool(rig.deps, { source, queues: [STANDARD], concurrency: 2, drainMs: 20_000, stop: stop.signal });
  await rig.until(pool.work());
  expect(stop.signal.aborted).toBe(true);
  expect(started).toBe(0);
  expect(await rig.client.get(id)).toMatchObject({ state: 'ready', attempts: 0 });
  await rig.drain();
  expect(started).toBe(1);
});

test('a worker that is stopped gives back at once what waits in its hands', async () => {
  const rig: Rig = new Rig({ handlers: [render.handle(({ signal }) => rig.clock.wait(600_000, signal))] });
  const memory = createMemoryHintSource(rig.hints, rig.clock);
  const suspects = new Set<string>();
  // Received so often that it waits for running jobs to end, instead of coming back again.
  const receiveCount = (body: string): number => ([...suspects].some((id) => body.includes(id)) ? 9 : 1);
  const source: HintSource = {
    ...memory,
    receive: async (...args) =>
      (await memory.receive(...args)).map((message) => ({ ...message, receiveCount: receiveCount(message.body) })),
  };
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await rig.settle();
      await rig.clock.advance(1_000);
    }
  };
  const stop = new AbortController();
  await rig.client.enqueue(render, {});
  const pool = new WorkerPool(rig.deps, { source, queues: [STANDARD], concurrency: 2, drainMs: 1_000, stop: stop.signal });
  const ended = pool.work();
  await pass(5);
  const { id } = await rig.client.enqueue(render, {});
  suspects.add(id);
  await pass(5);
  expect(rig.hints.receive(STANDARD, 10)).toEqual([]);
  stop.abort();
  await rig.until(ended);
  await rig.clock.advance(1_000);
  expect(rig.hints.receive(STANDARD, 10).some(({ body }) => body.includes(id))).toBe(true);
  expect(await rig.client.get(id)).toMatchObject({ state: 'ready', attempts: 0 });
});

test('a worker that is stopped holds back the job of a handler that does not end: it is due when its lease is over', async () => {
  const rig: Rig = new Rig({ handlers: [render.handle(() => new Promise<never>(() => {}))] });
  const { id } = await rig.client.enqueue(render, {});
  const worker = startOutside(rig, { drainMs: 1_000 });
  await rig.settle();
  const leaseEnd = rig.clock.now() + rig.deployment.settings.workerLeaseMs;
  expect(await rig.client.get(id)).toMatchObject({ state: 'running' });
  worker.stop();
  await expect(rig.until(worker.ended)).rejects.toThrow(SandboxEndedError);
  const job = await rig.client.get(id);
  expect(job).toMatchObject({ state: 'ready', dueAt: new Date(leaseEnd) });
});
