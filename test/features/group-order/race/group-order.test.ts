import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { groupHash } from '../../../../shared/job/hint.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { takeTurn } from '../../../../shared/features/group-order/store/turn.ts';
import { wakeNext } from '../../../../shared/features/group-order/store/wake.ts';
import { groupLockKey } from '../../../../shared/store/control-rows.ts';
import { decodeLeasedJob } from '../../../../shared/store/job-codec.ts';
import { idKey } from '../../../../shared/store/rows.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { type Aim, aimAt } from '../../../support/faulty-tables.ts';
import { anyPayload } from '../../../support/rig.ts';

const HOUR = 3_600_000;
const told = { reason: 'by hand' };
const step = defineJob('step', { payload: anyPayload, retry: 'R2/PT1H', group: { name: 'order', onFailure: 'block' } });

const putsControl =
  (sk: string): Aim =>
  (writes) =>
    writes.some((write) => write.op === 'put' && write.table === 'control' && String(write.row['sk']).startsWith(sk));
const deletesPlace: Aim = (writes) =>
  writes.some((write) => write.op === 'delete' && write.table === 'control' && String(write.key['sk']).startsWith('place#'));

function stage() {
  const ran: string[] = [];
  const failing = new Set<unknown>();
  const handler = step.handle(({ payload }) => {
    ran.push(String(payload['name']));
    if (failing.delete(payload['name'])) throw new Error('no answer');
  });
  const rig = faultyRig({ handlers: [handler] });
  const enqueue = async (name: string, fails = false): Promise<string> => {
    if (fails) failing.add(name);
    return (await rig.client.enqueue(step, { name })).id;
  };
  /** A job waits behind another one, whose retry is due. */
  const retryInFront = async (): Promise<void> => {
    await enqueue('a', true);
    await enqueue('b');
    await rig.drain();
    await rig.clock.advance(HOUR);
    await rig.fire();
  };
  const jobOf = async (id: string) => decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});
  return { rig, ran, enqueue, retryInFront, jobOf, admin: createAdminOver(rig.deps) };
}

describe('the turn of a job', () => {
  it('is not taken if the job was passed, and another one has started, since it was read', async () => {
    const { rig, enqueue, jobOf, admin } = stage();
    const a = await enqueue('a');
    const b = await enqueue('b');
    rig.faults.before(putsControl('holder'), async () => {
      expect(await admin.releaseGroup(a, told)).toBe('released');
      expect(await takeTurn(rig.tables, await jobOf(b), rig.clock.now())).toBe(true);
    });
    expect(await takeTurn(rig.tables, await jobOf(a), rig.clock.now())).toBe(false);
    expect(await takeTurn(rig.tables, await jobOf(b), rig.clock.now())).toBe(true);
    expect(rig.faults.pending()).toBe(0);
  });

  it('is taken by a request that is made again after it was applied', async () => {
    const { rig, enqueue, jobOf } = stage();
    const a = await enqueue('a');
    const take = async (): Promise<boolean> => takeTurn(rig.tables, await jobOf(a), rig.clock.now());
    rig.faults.before(putsControl('holder'), async () => expect(await take()).toBe(true));
    expect(await take()).toBe(true);
    expect(rig.faults.pending()).toBe(0);
  });

  it('is the same one that was written if the reply is lost', async () => {
    const { rig, ran, enqueue } = stage();
    await enqueue('a');
    rig.faults.next(putsControl('holder'), 'lost-reply', 1);
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(ran).toEqual(['a']);
  });

  it('stays with a job that has started when one gets a place before it', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const a = await enqueue('a', true);
    await rig.drain();
    await enqueue('b', true);
    expect(await admin.releaseGroup(a, told)).toBe('released');
    await rig.drain();
    expect(ran).toEqual(['a', 'b']);
    // The first one takes its place again, before that of the one that has started.
    await admin.runNow(a);
    await rig.drain();
    expect(ran).toEqual(['a', 'b']);
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'b', 'b', 'a']);
  });
});

describe('a job that is parked for the order of its group', () => {
  it('is made ready by its own executor if the job before it ends meanwhile', async () => {
    const { rig, ran, enqueue } = stage();
    const a = await enqueue('a', true);
    await rig.drain();
    await enqueue('b');
    rig.faults.before(aimAt('put', 'timers'), async () => rig.client.cancel(a));
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(ran).toEqual(['a', 'b']);
  });

  it('is made ready when the lock of its group is free, so that whoever gets its message can start it', async () => {
    const { rig, ran, retryInFront } = stage();
    await retryInFront();
    rig.faults.before(aimAt('put', 'jobs'), async () =>
      expect(await rig.tables.get('control', groupLockKey(groupHash('order')))).toBeUndefined(),
    );
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(ran).toEqual(['a', 'a', 'b']);
  });

  it('ends as cancelled at once if that is asked for on its way', async () => {
    const { rig, ran, enqueue } = stage();
    await enqueue('a', true);
    await rig.drain();
    const b = await enqueue('b');
    rig.faults.before(aimAt('put', 'timers'), async () => rig.client.cancel(b));
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(b)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    expect(ran).toEqual(['a']);
  });

  it('is not brought back if it is cancelled just before it is made ready', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const a = await enqueue('a', true);
    const b = await enqueue('b');
    await rig.drain();
    rig.faults.before(aimAt('put', 'jobs'), async () => rig.client.cancel(b));
    expect(await admin.releaseGroup(a, told)).toBe('released');
    expect(await rig.deliver()).toBe(0);
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(b)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    expect(ran).toEqual(['a']);
  });

  it('is made ready once by two at the same time', async () => {
    const { rig, enqueue } = stage();
    const a = await enqueue('a', true);
    await enqueue('b');
    await rig.drain();
    await rig.client.cancel(a);
    const hash = groupHash('order');
    rig.faults.before(aimAt('put', 'jobs'), async () => expect(await wakeNext(rig.deps, hash)).toBe(true));
    expect(await wakeNext(rig.deps, hash)).toBe(false);
    expect(rig.journal.count('released')).toBe(1);
  });

  it('is made ready by the acquirer if its executor could not', async () => {
    const { rig, ran, retryInFront } = stage();
    await retryInFront();
    rig.faults.next(aimAt('put', 'jobs'), 'unavailable', 1);
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(ran).toEqual(['a', 'a']);
    expect(rig.journal.count('store-failed')).toBe(1);
    expect((await rig.fire()).released).toBe(1);
    await rig.drain();
    expect(ran).toEqual(['a', 'a', 'b']);
  });
});

describe('two operators who release a group', () => {
  it('release it once', async () => {
    const { rig, enqueue, admin } = stage();
    const a = await enqueue('a', true);
    await rig.drain();
    rig.faults.before(deletesPlace, async () => expect(await admin.releaseGroup(a, told)).toBe('released'));
    expect(await admin.releaseGroup(a, told)).toBe('not-holding');
    expect(rig.faults.pending()).toBe(0);
    expect(await admin.audit()).toHaveLength(1);
  });

  it('leave a job its place that it took again meanwhile, to wait for another one', async () => {
    const { rig, ran, enqueue, admin } = stage();
    const a = await enqueue('a', true);
    await enqueue('b', true);
    await rig.drain();
    rig.faults.before(deletesPlace, async () => {
      expect(await admin.releaseGroup(a, told)).toBe('released');
      await rig.drain();
      await admin.runNow(a);
      await rig.drain();
    });
    expect(await admin.releaseGroup(a, told)).toBe('parked');
    expect(rig.faults.pending()).toBe(0);
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['a', 'b', 'b', 'a']);
  });
});
