import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { sealingCodec } from '../support/sealing-codec.ts';

const pay = defineJob('pay', { payload: anyPayload, codec: sealingCodec('seal'), retry: 'never' });
const jobTypes = new Map([[pay.name, pay]]);

/** Two operators that have the codec; things go wrong in the tables of the first. */
function stage() {
  const ran: unknown[] = [];
  const rig = new Rig({
    handlers: [
      pay.handle(({ payload, job }) => {
        ran.push([job.tenant, payload]);
        if (payload['fails'] === true) throw new Error('no');
      }),
    ],
  });
  const faults = faultyTables(rig.tables);
  const admin = createAdminOver({ ...rig.deps, tables: faults.tables, jobTypes });
  return { rig, ran, faults, admin, other: createAdminOver({ ...rig.deps, jobTypes }) };
}

describe('a patch of an encoded payload', () => {
  it('is applied to what another operator wrote meanwhile', async () => {
    const { rig, ran, faults, admin, other } = stage();
    const { id } = await rig.client.enqueue(pay, { n: 1 }, { tenant: 'acme' });
    faults.before(aimAt('update', 'jobs'), async () => other.patchPayload(id, { m: 2 }));
    expect(await admin.patchPayload(id, { n: 3 })).toBe('patched');
    await rig.drain();
    expect(ran).toEqual([['acme', { n: 3, m: 2 }]]);
  });

  it('comes too late for a job that was claimed a moment ago, which runs with what it had', async () => {
    const { rig, ran, faults, admin } = stage();
    const { id } = await rig.client.enqueue(pay, { n: 1 });
    faults.before(aimAt('update', 'jobs'), async () => rig.drain());
    expect(await admin.patchPayload(id, { n: 2 })).toBe('finished');
    expect(ran).toEqual([[undefined, { n: 1 }]]);
  });

  it('is encoded for the tenant that the job has by now', async () => {
    const { rig, ran, faults, admin, other } = stage();
    const { id } = await rig.client.enqueue(pay, { n: 1 }, { tenant: 'acme' });
    faults.before(aimAt('update', 'jobs'), async () => other.changeTenant(id, 'other'));
    expect(await admin.patchPayload(id, { n: 2 })).toBe('patched');
    await rig.drain();
    expect(ran).toEqual([['other', { n: 2 }]]);
  });
});

describe('another payload', () => {
  it('that was encoded for a tenant which the job left meanwhile is not written', async () => {
    const { rig, ran, faults, admin, other } = stage();
    const { id } = await rig.client.enqueue(pay, { n: 1 }, { tenant: 'acme' });
    faults.before(aimAt('update', 'jobs'), async () => other.changeTenant(id, 'other'));
    expect(await admin.editPayload(id, { n: 2 })).toBe('changed');
    await rig.drain();
    expect(ran).toEqual([['other', { n: 1 }]]);
  });

  it('of a dead letter that changed its tenant meanwhile does not redrive it', async () => {
    const { rig, ran, faults, admin, other } = stage();
    const { id } = await rig.client.enqueue(pay, { fails: true }, { tenant: 'acme' });
    await rig.drain();
    faults.before(aimAt('delete', 'deadLetters'), async () => other.changeTenant(id, 'other'));
    expect(await admin.redrive(id, { payload: { n: 2 } })).toBe('changed');
    expect(await admin.redrive(id, { payload: { n: 2 } })).toBe('redriven');
    await rig.drain();
    expect(ran.at(-1)).toEqual(['other', { n: 2 }]);
  });
});

describe('another tenant', () => {
  it('gets what another operator wrote meanwhile', async () => {
    const { rig, ran, faults, admin, other } = stage();
    const { id } = await rig.client.enqueue(pay, { n: 1 }, { tenant: 'acme' });
    faults.before(aimAt('update', 'jobs'), async () => other.patchPayload(id, { n: 2 }));
    expect(await admin.changeTenant(id, 'other')).toBe('changed');
    await rig.drain();
    expect(ran).toEqual([['other', { n: 2 }]]);
  });
});
