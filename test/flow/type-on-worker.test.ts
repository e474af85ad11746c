import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const WORKERS = { default: { lanes: { default: 'queue/default' } }, gpu: { lanes: { default: 'queue/gpu' } } };
const here = defineJob('work', { payload: anyPayload });
const onGpu = defineJob('work', { payload: anyPayload, worker: 'gpu' });

describe('a type that is switched off on one worker', () => {
  it('does not start there, runs elsewhere, and is resumed when it is switched on', async () => {
    const ran: unknown[] = [];
    const rig = new Rig({ workers: WORKERS, handlers: [here.handle(({ payload }) => void ran.push(payload['n']))] });
    const admin = createAdminOver(rig.deps);
    await admin.suspend({ type: 'work', worker: 'gpu' }, { reason: 'its driver is broken' });
    const held = await rig.client.enqueue(onGpu, { n: 1 });
    await rig.client.enqueue(here, { n: 2 });
    await rig.drain();
    expect(ran).toEqual([2]);
    expect(await rig.rows('suspended')).toMatchObject([{ id: held.id, cause: 'type#work@gpu' }]);
    expect(await admin.suspensions()).toMatchObject([{ scope: 'type#work@gpu', state: 'in-force' }]);
    await rig.sweep();
    expect((await rig.client.get(held.id))?.state).toBe('suspended');
    expect(await admin.resume({ type: 'work', worker: 'gpu' })).toBe('resumed');
    await rig.clock.advance(5_000);
    await rig.sweep();
    await rig.clock.advance(2_000);
    await rig.drain();
    expect(ran).toEqual([2, 1]);
  });

  it('is no type of a tenant, and no worker that the deployment does not have', async () => {
    const rig = new Rig({ workers: WORKERS });
    const admin = createAdminOver(rig.deps);
    const why = { reason: 'typo' };
    await expect(admin.suspend({ type: 'work', worker: 'gup' }, why)).rejects.toThrow('This deployment has: default, gpu.');
    await expect(admin.forTenant('acme').suspend({ type: 'work', worker: 'gpu' }, why)).rejects.toThrow(InvalidInputError);
    expect(await rig.rows('control')).toEqual([]);
    expect(await admin.resume({ type: 'work', worker: 'gup' })).toBe('not-suspended');
  });
});
