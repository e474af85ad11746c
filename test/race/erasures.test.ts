import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { PUT_WINDOW_MS } from '../../operate/wait-for-put-window.ts';
import type { TableName, Tables } from '../../shared/ports/tables.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';
import { type Aim, faultyTables } from '../support/faulty-tables.ts';

const told = { apply: true, reason: 'ticket 4711' };

/** The deletion or change of a row of a table. */
const removing =
  (table: TableName): Aim =>
  (writes) =>
    writes.some((write) => write.op !== 'put' && write.table === table);

/** Tables on which something happens once, right before the first transaction that deletes or changes rows of a table. */
function before(inner: Tables, table: TableName, act: () => Promise<unknown>): Tables {
  const faults = faultyTables(inner);
  faults.before(removing(table), act);
  return faults.tables;
}

describe('an erasure while others work', () => {
  it('leaves a dead letter that was redriven meanwhile, and erases its neighbours', async () => {
    const { rig, admin, ids } = await deadLetters(3);
    // Not the sample of the group: its id is told with the message of the group, which is erased.
    const [group] = (await admin.errorGroups()).groups.filter(({ type }) => type === work.name);
    const redriven = ids.find((id) => id !== group?.sample) ?? '';
    const tables = before(rig.tables, 'deadLetters', async () => admin.redrive(redriven));
    const report = await createAdminOver({ ...rig.deps, tables }).erase({ type: work.name }, told);
    expect(report).toMatchObject({ status: 'done', erased: { deadLetters: 2 }, failed: 0 });
    expect(await admin.find(redriven)).toMatchObject({ state: 'ready' });
    const { steps } = await admin.erasedJobs(report.id ?? '');
    expect(steps.flatMap((step) => step.ids)).not.toContain(redriven);
  });

  it('erases a dead letter whose payload was edited meanwhile', async () => {
    const { rig, admin, ids } = await deadLetters(1);
    const tables = before(rig.tables, 'deadLetters', async () => admin.editPayload(ids[0] ?? '', { edited: true }));
    const report = await createAdminOver({ ...rig.deps, tables }).erase({ type: work.name }, told);
    expect(report).toMatchObject({ erased: { deadLetters: 1 }, failed: 0 });
    expect(await admin.find(ids[0] ?? '')).toBeUndefined();
  });

  it('leaves a dead letter that was given to another tenant meanwhile', async () => {
    const { rig, admin, ids } = await deadLetters(1);
    const [id = ''] = ids;
    await admin.changeTenant(id, 'acme');
    const tables = before(rig.tables, 'deadLetters', async () => admin.changeTenant(id, 'umbrella'));
    const report = await createAdminOver({ ...rig.deps, tables }).erase({ tenant: 'acme' }, told);
    expect(report).toMatchObject({ erased: { deadLetters: 0 }, failed: 0, digest: '' });
    expect(await admin.find(id)).toMatchObject({ tenant: 'umbrella' });
  });

  it('cancels no live job that was given to another tenant meanwhile', async () => {
    const { rig, admin } = brokenStage();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme', delay: 'PT5H' });
    const erasing = createAdminOver({ ...rig.deps, putWindowMs: PUT_WINDOW_MS })
      .forTenant('acme')
      .erase({}, { ...told, cancelLive: true });
    await rig.settle();
    expect(await admin.changeTenant(id, 'umbrella')).toBe('changed');
    expect(await rig.until(erasing)).toMatchObject({ status: 'done', cancelled: 0, failed: 0 });
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting', tenant: 'umbrella' });
  });

  it('stops when another process resumed it, which erases the rest; no row is counted twice', async () => {
    const { rig, admin } = await deadLetters(200);
    let [id, resumed]: [string, Promise<unknown>] = ['', Promise.resolve()];
    const tables = before(rig.tables, 'deadLetters', async () => (resumed = admin.resumeErasure(id, { ratePerSecond: 100_000 })));
    const first = createAdminOver({ ...rig.deps, tables });
    const report = await first.erase({ type: work.name }, { ...told, ratePerSecond: 100_000, onBegin: (begun) => (id = begun) });
    await resumed;
    expect(report).toMatchObject({ status: 'done', erased: { deadLetters: 200 } });
    expect(await admin.count({ state: 'dead', type: work.name })).toMatchObject({ dead: 0 });
    const { steps } = await admin.erasedJobs(id);
    expect(new Set(steps.flatMap((step) => step.ids)).size).toBe(200);
    const audit = (await admin.audit()).filter(({ verb }) => verb === 'erase');
    expect(new Set(audit.map(({ detail }) => detail?.split(': ')[1]?.split(',')[0]))).toEqual(new Set(['began', 'done', 'resumed']));
  });

  it('replaces the message of an error group as it is by then, not as it was read', async () => {
    const { rig, admin } = brokenStage();
    await rig.client.enqueue(work, {}, { tenant: 'acme' });
    await rig.drain();
    await rig.clock.advance(60_000);
    const tables = before(rig.tables, 'control', async () => {
      await rig.client.enqueue(work, {}, { tenant: 'umbrella' });
      await rig.drain();
    });
    const report = await createAdminOver({ ...rig.deps, tables }).erase({ tenant: 'acme' }, told);
    expect(report).toMatchObject({ erased: { errorTexts: 0, deadLetters: 1 } });
    expect((await admin.errorGroups()).groups).toMatchObject([{ message: 'no' }]);
  });
});
