import { expect, test } from 'vitest';
import { defineJob } from '../../shared/core/job-type.ts';
import { createMemoryHintSource } from '../../shared/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { Crew } from '../../shared/worker/outside/crew.ts';
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
  const crew = new Crew(rig.parts, { source, queues: [STANDARD], concurrency: 2, drainMs: 20_000, stop: stop.signal });
  await rig.until(crew.work());
  expect(stop.signal.aborted).toBe(true);
  expect(started).toBe(0);
  expect(await rig.client.get(id)).toMatchObject({ state: 'ready', attempts: 0 });
  await rig.drain();
  expect(started).toBe(1);
});
