import { expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { startOutside } from '../../../support/outside-worker.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const render = defineJob('render', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] });

it('a run outside Lambda that outlasts its first lease keeps its slot, and hands it over when it ends', async () => {
  const ends: (() => void)[] = [];
  const rig: Rig = new Rig({ handlers: [render.handle(() => new Promise<void>((resolve) => void ends.push(resolve)))] });
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 5_000) {
      await rig.settle();
      await rig.clock.advance(5_000);
    }
    await rig.settle();
  };
  const worker = startOutside(rig, { concurrency: 2 });
  const first = await rig.client.enqueue(render, {});
  await pass(30_000);
  const second = await rig.client.enqueue(render, {});
  await pass(20 * MINUTE);
  expect(ends).toHaveLength(1);
  expect((await rig.fire()).released).toBe(0);
  expect((await rig.client.get(second.id))?.state).toBe('parked');
  ends[0]?.();
  await pass(MINUTE);
  expect(await rig.client.get(first.id)).toMatchObject({ state: 'finished' });
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await pass(MINUTE);
  worker.stop();
  await rig.until(worker.ended);
  expect((await rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'))).toEqual([]);
});
