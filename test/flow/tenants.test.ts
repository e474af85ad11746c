import { describe, expect, it } from 'vitest';
import { createJobClient } from '../../shared/client/create-job-client.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { complete, fail } from '../../shared/job/verdict.ts';
import { idKey, timerKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload });
const next = defineJob('next', { payload: anyPayload });

const tenantOf = async (rig: Rig, id: string): Promise<unknown> =>
  ((await rig.tables.get('jobs', idKey(id))) ?? (await rig.tables.get('timers', timerKey(id))))?.['tenant'];

describe('a client for one tenant', () => {
  it('puts the tenant on every job that it makes', async () => {
    const rig = new Rig();
    const acme = rig.client.forTenant('acme');
    const one = await acme.enqueue(work, {});
    const later = await acme.enqueue(work, {}, { delay: HOUR });
    const { ids } = await acme.enqueueMany(work, [{}, {}]);
    for (const id of [one.id, later.id, ...ids]) expect(await tenantOf(rig, id ?? '')).toBe('acme');
    const prepared = acme.prepare(work, {});
    expect(prepared.items).toEqual([expect.objectContaining({ row: expect.objectContaining({ tenant: 'acme' }) as unknown })]);
  });

  it('takes its own tenant as an option, and refuses another before anything is written', async () => {
    const rig = new Rig();
    const acme = rig.client.forTenant('acme');
    expect(await tenantOf(rig, (await acme.enqueue(work, {}, { tenant: 'acme' })).id)).toBe('acme');
    for (const tenant of ['globex', '']) {
      await expect(acme.enqueue(work, {}, { tenant })).rejects.toThrow(/^tenant: .*works for tenant "acme" alone/);
      expect(() => acme.prepare(work, {}, { tenant })).toThrow(InvalidInputError);
      expect((await acme.enqueueMany(work, [{}], { tenant })).failed).toHaveLength(1);
    }
    expect((await rig.counts()).jobs).toBe(1);
  });

  it('holds its tenant against middleware as well', async () => {
    const rig = new Rig({ beforeCreate: [(draft) => ({ ...draft, tenant: 'globex' })] });
    await expect(rig.client.forTenant('acme').enqueue(work, {})).rejects.toThrow(/^tenant: /);
  });

  it('has keys of its own: two tenants may use the same one', async () => {
    const rig = new Rig();
    const [acme, globex] = [rig.client.forTenant('acme'), rig.client.forTenant('globex')];
    const first = await acme.enqueue(work, {}, { key: 'monthly' });
    expect(await globex.enqueue(work, {}, { key: 'monthly' })).toMatchObject({ duplicate: false });
    expect(await acme.enqueue(work, {}, { key: 'monthly' })).toEqual({ id: first.id, duplicate: true });
  });

  it("sees, cancels and moves its tenant's jobs, and nobody else's", async () => {
    const rig = new Rig();
    const [acme, globex] = [rig.client.forTenant('acme'), rig.client.forTenant('globex')];
    const { id } = await acme.enqueue(work, {}, { delay: HOUR });
    const nobodys = await rig.client.enqueue(work, {}, { delay: HOUR });
    for (const other of [id, nobodys.id]) {
      expect(await globex.get(other)).toBeUndefined();
      expect(await globex.reschedule(other, { delay: 2 * HOUR })).toBe('not-found');
      expect(await globex.cancel(other)).toBe('not-found');
    }
    expect(await acme.get(id)).toMatchObject({ state: 'waiting', tenant: 'acme' });
    expect(await acme.reschedule(id, { delay: 2 * HOUR })).toBe('rescheduled');
    expect(await acme.cancel(id)).toBe('cancelled');
    expect(await rig.client.get(nobodys.id)).toMatchObject({ state: 'waiting' });
  });

  it('cannot be left for another, nor made for none', () => {
    for (const acme of [new Rig().client.forTenant('acme'), createJobClient().forTenant('acme')]) {
      expect(() => acme.forTenant('globex')).toThrow(/^tenant: .*works for tenant "acme" alone/);
      expect(() => acme.forTenant('acme').forTenant('globex')).toThrow(/^tenant: .*works for tenant "acme" alone/);
      expect(() => acme.forTenant('acme')).not.toThrow();
    }
    for (const tenant of ['', undefined, 5, 'x'.repeat(257)])
      expect(() => new Rig().client.forTenant(tenant as never)).toThrow(/^tenant: /);
  });
});

describe('the tenant of a job', () => {
  it('is inherited by what its handler enqueues, by call and by completion, unless another is named', async () => {
    const seen: Record<string, unknown> = {};
    const rig: Rig = new Rig({
      handlers: [
        work.handle(async () => {
          await rig.client.enqueue(next, { by: 'call' });
          await rig.client.enqueue(next, { by: 'name' }, { tenant: 'globex' });
          await rig.client.forTenant('initech').enqueue(next, { by: 'client' });
          return complete({ enqueue: [followUp(next, { by: 'completion' })] });
        }),
        next.handle(({ job, payload }) => void (seen[String(payload['by'])] = job.tenant)),
      ],
    });
    await rig.client.enqueue(work, {}, { tenant: 'acme' });
    await rig.drain();
    expect(seen).toEqual({ call: 'acme', name: 'globex', client: 'initech', completion: 'acme' });
  });

  it('stands in history, in dead letters and with suspended jobs', async () => {
    const rig = new Rig({ handlers: [work.handle(({ payload }) => (payload['fail'] === true ? fail('no') : undefined))] });
    const acme = rig.client.forTenant('acme');
    const finished = await acme.enqueue(work, {});
    const dead = await acme.enqueue(work, { fail: true });
    const suspended = await acme.enqueue(next, {});
    const cancelled = await acme.enqueue(work, {}, { delay: HOUR });
    await acme.cancel(cancelled.id);
    await rig.drain();
    expect(new Set((await rig.rows('history')).map(({ id, tenant }) => `${id} ${tenant}`))).toEqual(
      new Set([finished.id, cancelled.id].map((id) => `${id} acme`)),
    );
    expect((await rig.rows('deadLetters')).map(({ id, tenant }) => [id, tenant])).toEqual([[dead.id, 'acme']]);
    expect((await rig.rows('suspended')).map(({ id, tenant }) => [id, tenant])).toEqual([[suspended.id, 'acme']]);
    for (const [{ id }, state] of [
      [finished, 'finished'],
      [dead, 'dead'],
      [suspended, 'suspended'],
    ] as const) {
      expect(await acme.get(id)).toMatchObject({ state, tenant: 'acme' });
      expect(await rig.client.forTenant('globex').get(id)).toBeUndefined();
    }
  });
});
