import { describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { cancel } from '../../operate/verbs/cancel.ts';
import { PUT_WINDOW_MS } from '../../operate/wait-for-put-window.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { type FaultyRig, faultyRig, loseMessages, take } from '../support/faulty-rig.ts';
import { aimAt, aimAtChangeOf } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

/** A job whose executor died while it ran it alone; its lease has run out, and no message names it. */
async function heldByTheDead(): Promise<{ rig: FaultyRig; id: string; run: ReturnType<typeof vi.fn> }> {
  const run = vi.fn();
  const rig = faultyRig({ handlers: [work.handle(run)] });
  const { id } = await rig.client.enqueue(work, {});
  loseMessages(rig);
  await take(rig, id);
  await rig.clock.advance(2 * MINUTE);
  return { rig, id, run };
}

describe('a cancel that is accepted after the last look at a job whose executor died', () => {
  it('is kept by the sweeper, and the handler does not run again', async () => {
    const { rig, id, run } = await heldByTheDead();
    rig.faults.before(aimAtChangeOf('crashes'), async () => expect(await rig.client.cancel(id)).toBe('cancel-requested'));
    expect((await rig.sweep()).counts).toEqual({ lost: 1 });
    expect(rig.faults.pending()).toBe(0);
    expect((await rig.sweep()).counts).toEqual({ cancelled: 1 });
    await rig.drain();
    expect(run).not.toHaveBeenCalled();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
  });

  it('is kept by an executor that takes the job over: it claims nothing, and the handler does not run again', async () => {
    const { rig, id, run } = await heldByTheDead();
    rig.hints.inject(DEFAULT, JSON.stringify({ v: 1, id, n: 1, alone: 1 }));
    rig.faults.before(aimAtChangeOf('crashes', 'starts'), async () => expect(await rig.client.cancel(id)).toBe('cancel-requested'));
    await rig.deliver();
    expect(rig.faults.pending()).toBe(0);
    await rig.clock.advance(1_000);
    await rig.drain();
    expect(run).not.toHaveBeenCalled();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled', attempts: 1 });
  });
});

describe('a job that is cancelled while it runs', () => {
  it.each([
    ['without a key', {}, 'outcome'],
    ['with a key', { key: 'k' }, 'outcome'],
    ['without a key, with durable history', {}, 'durable'],
    ['with a key, with durable history', { key: 'k' }, 'durable'],
  ] as const)('%s ends as cancelled although its handler succeeds', async (_name, options, history) => {
    let [id, answer] = ['', ''];
    const rig: Rig = new Rig({
      history,
      handlers: [
        work.handle(async () => {
          answer = await rig.client.cancel(id);
        }),
      ],
    });
    ({ id } = await rig.client.enqueue(work, {}, options));
    await rig.drain();
    expect(answer).toBe('cancel-requested');
    expect(rig.journal.count('failed')).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    expect(await rig.counts()).toMatchObject({ jobs: 0, control: 0 });
    expect(rig.journal.count('cancelled')).toBe(1);
  });

  it('and whose executor dies is ended by the sweeper, its key is freed, and History keeps it', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
    loseMessages(rig);
    await take(rig, id);
    expect(await rig.client.cancel(id)).toBe('cancel-requested');
    await rig.clock.advance(2 * MINUTE);
    expect((await rig.sweep()).counts).toEqual({ cancelled: 1 });
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(false);
  });

  it('is not kept where History is off', async () => {
    const rig = new Rig({ history: 'off' });
    const { id } = await rig.client.enqueue(work, {});
    loseMessages(rig);
    await take(rig, id);
    await rig.client.cancel(id);
    await rig.clock.advance(2 * MINUTE);
    await rig.sweep();
    expect(await rig.counts()).toMatchObject({ jobs: 0, history: 0 });
  });

  it('is ended by one of two actors that try', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const job = await take(rig, id);
    const end = async (): Promise<boolean> => endAsCancelled(rig.tables, job, 'sweeper', cancelTerms(rig.deps));
    expect(await end()).toBe(true);
    expect(await end()).toBe(false);
  });
});

describe('a cancel of all that matches', () => {
  it.each([
    ['cancelWhere', async (rig: Rig) => adminAfterPut(rig).cancelWhere({ tenant: 'acme' })],
    ['cancelWhere of a tenant', async (rig: Rig) => adminAfterPut(rig).forTenant('acme').cancelWhere({})],
  ])('leaves a job alone that another operator gave to another tenant meanwhile: %s', async (_name, cancelAll) => {
    const { rig, moved, kept } = await twoOfAcme();
    const cancelling = cancelAll(rig);
    await rig.settle();
    expect(await createAdminOver(rig.deps).changeTenant(moved, 'globex')).toBe('changed');
    expect(await rig.until(cancelling)).toMatchObject({ found: 2, cancelled: 1, ended: 0, left: 1, failed: 0 });
    expect(await rig.client.get(moved)).toMatchObject({ state: 'waiting', tenant: 'globex' });
    expect(await rig.client.get(kept)).toMatchObject({ outcome: 'cancelled' });
  });
});

const adminAfterPut = (rig: Rig) => createAdminOver({ ...rig.deps, putWindowMs: PUT_WINDOW_MS });

async function twoOfAcme(): Promise<{ rig: Rig; moved: string; kept: string }> {
  const rig = new Rig();
  const add = async (): Promise<string> => (await rig.client.enqueue(work, {}, { tenant: 'acme', delay: 'PT5H' })).id;
  return { rig, moved: await add(), kept: await add() };
}

describe('a cancel of one job by an operator', () => {
  it.each([
    ['a job that waits', async (rig: FaultyRig) => (await rig.client.enqueue(work, {}, { delay: 'PT5H' })).id, aimAt('delete', 'timers')],
    ['a job that runs', heldNow, aimAtChangeOf('cancelRequested')],
  ] as const)('does not say that nothing was done when its reply was lost: %s', async (_name, begin, aim) => {
    const rig = faultyRig();
    const id = await begin(rig);
    rig.faults.next(aim, 'lost-for-good');
    const cancelling = cancel.act(createAdminOver(rig.deps), id, { verb: 'cancel' }, { actor: 'anna' });
    await expect(cancelling).rejects.toThrow(StoreUnavailableError);
    expect(rig.faults.pending()).toBe(0);
  });
});

async function heldNow(rig: FaultyRig): Promise<string> {
  const { id } = await rig.client.enqueue(work, {});
  await take(rig, id);
  return id;
}
