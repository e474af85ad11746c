import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { uniqueKeyKey, uniqueKeyRow } from '../../shared/store/control-rows.ts';
import { idKey } from '../../shared/store/rows.ts';
import { aimAt, type FaultyTables, faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const KEY = uniqueKeyHash('work', undefined, 'k');
const told = { reason: 'test' };
const PUT = aimAt('put', 'deadLetters');

function stage(): { rig: Rig; admin: Admin; other: Admin; faults: FaultyTables; ran: unknown[] } {
  const ran: unknown[] = [];
  const rig = new Rig({ handlers: [work.handle(({ job }) => void ran.push(job.id))] });
  const faults = faultyTables(rig.tables);
  return { rig, faults, ran, admin: createAdminOver({ ...rig.deps, tables: faults.tables }), other: createAdminOver(rig.deps) };
}

describe('an operator who buries a job', () => {
  it('leaves one alone that was claimed and ended a moment ago', async () => {
    const { rig, admin, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    faults.before(PUT, async () => rig.drain());
    expect(await admin.bury(id, told)).toBe('finished');
    expect(ran).toEqual([id]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
    expect((await admin.errorGroups({})).groups).toEqual([]);
  });

  it('leaves one cancelled that was cancelled meanwhile', async () => {
    const { rig, admin, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    faults.before(PUT, async () => rig.client.cancel(id));
    expect(await admin.bury(id, told)).toBe('finished');
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
  });

  it.each(['PT0S', 'PT5H'])('keeps what was edited meanwhile (due in %s)', async (delay) => {
    const { rig, admin, other, faults } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 }, { delay });
    faults.before(PUT, async () => other.editPayload(id, { n: 2 }));
    expect(await admin.bury(id, told)).toBe('buried');
    expect(await rig.tables.get('deadLetters', idKey(id))).toMatchObject({ payload: '{"n":2}' });
  });

  it('finds a job that moved to another table meanwhile', async () => {
    const { rig, admin, other, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    faults.before(PUT, async () => other.breakpoint(id, { reason: 'look' }));
    expect(await admin.bury(id, told)).toBe('buried');
    const dead = await rig.tables.get('deadLetters', idKey(id));
    for (const name of ['cause', 'causeLeaf', 'suspendedAt', 'from']) expect(dead).not.toHaveProperty(name);
    expect(await rig.counts()).toMatchObject({ timers: 0, suspended: 0, deadLetters: 1 });
  });

  it('counts one as dead of the type to which it moved meanwhile', async () => {
    const { rig, admin, other, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    faults.before(PUT, async () => other.move(id, { type: 'renamed' }, told));
    expect(await admin.bury(id, told)).toBe('buried');
    const dead = await rig.tables.get('deadLetters', idKey(id));
    const { groups } = await admin.errorGroups({});
    expect(groups).toMatchObject([{ type: 'renamed', fingerprint: dead?.['fingerprint'], open: 1 }]);
  });

  it('leaves one alone that belongs to another tenant by then', async () => {
    const { rig, admin, other, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H', tenant: 'acme' });
    faults.before(PUT, async () => other.changeTenant(id, 'zeta'));
    expect(await admin.forTenant('acme').bury(id, told)).toBe('not-found');
    expect(await rig.counts()).toMatchObject({ timers: 1, deadLetters: 0 });
  });

  it('counts it once beside another operator who buries it, too', async () => {
    const { rig, admin, other, faults } = stage();
    const { id, ids } = await rig.client.enqueueBatch(work, [{}, {}]);
    faults.before(PUT, async () => other.bury(ids[0] ?? '', told));
    expect(await admin.bury(ids[0] ?? '', told)).toBe('dead');
    expect(await rig.client.batch(id)).toMatchObject({ failed: 1 });
    expect(await admin.audit()).toHaveLength(1);
  });

  it('buries one with its id and frees its key that another operator buried and redrove meanwhile', async () => {
    const { rig, other, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H', key: 'k' });
    faults.before(PUT, async () => other.bury(id, told));
    const transact: Tables['transact'] = async (...request) => {
      const outcome = await faults.tables.transact(...request);
      if (!outcome.applied) await other.redrive(id);
      return outcome;
    };
    expect(await createAdminOver({ ...rig.deps, tables: { ...faults.tables, transact } }).bury(id, told)).toBe('buried');
    expect(await rig.tables.get('deadLetters', idKey(id))).toMatchObject({ reason: 'buried' });
    expect(await rig.tables.get('control', uniqueKeyKey(KEY))).toBeUndefined();
  });

  it('leaves the unique key to the job that has it by then', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H', key: 'k' });
    const heir = rig.client.newId();
    await rig.tables.write({ op: 'put', table: 'control', row: uniqueKeyRow(KEY, heir) });
    expect(await admin.bury(id, told)).toBe('buried');
    expect(await rig.tables.get('control', uniqueKeyKey(KEY))).toMatchObject({ jobId: heir });
    expect((await rig.rows('deadLetters')).map((row) => row['id'])).toEqual([id]);
  });

  it('overwrites no dead letter that has its id already, and frees its key', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, { n: 2 }, { key: 'k' });
    await rig.tables.write({ op: 'put', table: 'deadLetters', row: { id, type: 'work', payload: '{"n":1}' } });
    expect(await admin.bury(id, told)).toBe('buried');
    expect((await rig.rows('deadLetters')).map((row) => String(row['payload'])).toSorted()).toEqual(['{"n":1}', '{"n":2}']);
    expect(await rig.tables.get('control', uniqueKeyKey(KEY))).toBeUndefined();
  });
});
