import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly ran: unknown[];
}

function stage(): Stage {
  const ran: unknown[] = [];
  const rig = new Rig({ handlers: [work.handle(({ payload }) => void ran.push(payload['n']))] });
  return { rig, admin: createAdminOver(rig.deps), ran };
}

/** Everybody has heard of it; then the sweeper ticks and what it lets go runs. */
async function release({ rig }: Stage): Promise<void> {
  await rig.clock.advance(5_000);
  await rig.sweep();
  await rig.clock.advance(2_000);
  await rig.drain();
}

describe('one job', () => {
  it('runs now while its type is suspended', async () => {
    const { rig, admin, ran } = stage();
    await admin.suspend({ type: 'work' }, { reason: 'closed' });
    const { id } = await rig.client.enqueue(work, { n: 1 });
    await rig.client.enqueue(work, { n: 2 });
    await rig.drain();
    expect(await admin.runNow(id)).toBe('started');
    await rig.drain();
    expect(ran).toEqual([1]);
    expect((await rig.counts()).suspended).toBe(1);
  });

  it('runs now although it waits, or is ready and not due', async () => {
    const { rig, admin, ran } = stage();
    const waiting = await rig.client.enqueue(work, { n: 1 }, { delay: 'PT5H' });
    const ready = await rig.client.enqueue(work, { n: 2 }, { delay: 'PT5M' });
    expect(await admin.runNow(waiting.id)).toBe('started');
    expect(await admin.runNow(ready.id)).toBe('started');
    await rig.drain();
    expect(new Set(ran)).toEqual(new Set([1, 2]));
    expect(await admin.runNow(ready.id)).toBe('finished');
    expect(await admin.runNow(rig.client.newId())).toBe('not-found');
  });

  it('stops at a breakpoint, whatever ends meanwhile, until an operator resumes it', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    const ready = await rig.client.enqueue(work, { n: 1 });
    const waiting = await rig.client.enqueue(work, { n: 2 }, { delay: 'PT5H' });
    for (const { id } of [ready, waiting]) expect(await admin.breakpoint(id, { reason: 'look at it' })).toBe('stopped');
    await release(scene);
    await rig.clock.advance(10 * MINUTE);
    await release(scene);
    expect(ran).toEqual([]);
    expect(await rig.client.get(ready.id)).toMatchObject({ state: 'suspended' });
    expect(await admin.resumeJob(ready.id)).toBe('resumed');
    expect(await admin.resumeJob(waiting.id)).toBe('waiting');
    await rig.drain();
    expect(ran).toEqual([1]);
    expect((await rig.client.get(waiting.id))?.state).toBe('waiting');
    expect(await admin.runNow(waiting.id)).toBe('started');
    await rig.drain();
    expect(ran).toEqual([1, 2]);
  });

  it('that is suspended by its type keeps a breakpoint when the type is active again', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    await admin.suspend({ type: 'work' }, { reason: 'closed' });
    const { id } = await rig.client.enqueue(work, { n: 1 });
    await rig.drain();
    expect(await admin.breakpoint(id, { reason: 'odd' })).toBe('stopped');
    await admin.resume({ type: 'work' });
    await release(scene);
    expect(ran).toEqual([]);
    expect(await admin.resumeJob(id)).toBe('resumed');
    await rig.drain();
    expect(ran).toEqual([1]);
  });
});
