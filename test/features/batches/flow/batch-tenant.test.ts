import { describe, expect, it } from 'vitest';
import { runCli } from '../../../../cli/run-cli.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { BatchUnknownError } from '../../../../shared/job/errors.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { batchCallbackKey, batchHeadKey, batchListKey } from '../../../../shared/features/batches/store/batch-rows.ts';
import { fakeTerminal } from '../../../cli/fake-terminal.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload, retry: 'R1/PT1M' });
const done = defineJob('done', { payload: anyPayload });
const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

/** A sealed batch of acme's with two jobs that wait, one of which holds a key, and two callbacks, one of them for umbrella. */
async function stage(tenant: string | undefined = 'acme') {
  const ran: (readonly [string, string | undefined])[] = [];
  const rig = new Rig({
    handlers: [
      work.handle(({ payload, job }) => {
        if (payload['fails'] === true) throw new Error('no');
        ran.push(['work', job.tenant]);
      }),
      done.handle(({ payload, job }) => void ran.push([String(payload['name']), job.tenant])),
    ],
  });
  const batch = await rig.client.createBatch({
    ...(tenant === undefined ? {} : { tenant }),
    onCompleted: followUp(done, { name: 'completed' }),
    onSucceeded: followUp(done, { name: 'succeeded' }, { tenant: 'umbrella' }),
  });
  const first = await batch.enqueue(work, {}, { delay: HOUR, key: 'k' });
  const second = await batch.enqueue(work, {}, { delay: HOUR });
  await batch.seal();
  const run = async (): Promise<void> => {
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
  };
  return { rig, admin: createAdminOver(rig.deps), ran, batch: batch.id, ids: [first.id, second.id] as const, run };
}

describe('a batch of another tenant', () => {
  it('takes its callbacks along, and its jobs follow one by one or in bulk', async () => {
    const { rig, admin, ran, batch, ids, run } = await stage();
    expect(await admin.changeTenant(ids[0], 'globex')).toBe('in-batch');
    expect(await admin.changeBatchTenant(batch, 'globex', { actor: 'anna', reason: 'merger' })).toMatchObject({
      id: batch,
      tenant: 'globex',
    });
    expect(await rig.client.forTenant('acme').batch(batch)).toBeUndefined();
    expect(await rig.client.forTenant('globex').batch(batch)).toMatchObject({ total: 2 });
    expect((await rig.tables.get('control', batchListKey(batch)))?.['tenant']).toBe('globex');
    expect(await admin.changeTenant(ids[0], 'umbrella')).toBe('in-batch');
    expect(await admin.changeTenant(ids[0], 'globex')).toBe('changed');
    expect(await rig.client.cancelByKey(work, 'k', { tenant: 'acme' })).toEqual({ outcome: 'not-found' });
    const report = await admin.bulk({ verb: 'change-tenant', tenant: 'globex' }, { batch, tenant: 'acme' });
    expect(report).toMatchObject({ matched: 1, done: 1, failed: 0 });
    await run();
    expect(ran.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
      ['completed', 'globex'],
      ['succeeded', 'umbrella'],
      ['work', 'globex'],
      ['work', 'globex'],
    ]);
    const [entry] = (await admin.audit()).filter(({ verb }) => verb === 'changeBatchTenant');
    expect(entry).toMatchObject({ scope: `batch#${batch}`, actor: 'anna', reason: 'merger', detail: 'to globex', tenant: 'acme' });
  });

  it('may have none, or get one that had none', async () => {
    const { rig, admin, ran, batch, ids, run } = await stage();
    expect(await admin.changeBatchTenant(batch, null)).not.toHaveProperty('tenant');
    expect((await admin.audit())[0]).toMatchObject({ detail: 'to none' });
    expect(await rig.tables.get('control', batchHeadKey(batch))).not.toHaveProperty('tenant');
    for (const id of ids) expect(await admin.changeTenant(id, null)).toBe('changed');
    await run();
    expect(ran).toContainEqual(['completed', undefined]);
    const other = await stage(undefined);
    await other.admin.changeBatchTenant(other.batch, 'acme');
    expect(await other.rig.client.forTenant('acme').batch(other.batch)).toMatchObject({ id: other.batch });
    await other.run();
    expect(other.ran).toContainEqual(['completed', 'acme']);
  });

  it('that is finished leaves the callbacks that were enqueued alone, and its dead letters follow it, or go anywhere when it is forgotten', async () => {
    const { rig, admin } = await stage();
    const { id: batch } = await rig.client.enqueueBatch(work, [{ fails: true }], {
      tenant: 'acme',
      onCompleted: followUp(done, { name: 'late' }, { group: 'g' }),
    });
    await rig.drain();
    const [dead] = await rig.rows('deadLetters');
    const id = String(dead?.['id']);
    await rig.clock.advance(60_000);
    await rig.sweep();
    expect(await rig.tables.get('control', batchListKey(batch))).toBeUndefined();
    const before = await rig.tables.get('control', batchCallbackKey(batch, 'completed'));
    expect(await admin.changeBatchTenant(batch, 'globex')).toMatchObject({ state: 'finished', tenant: 'globex' });
    expect(await rig.tables.get('control', batchListKey(batch))).toBeUndefined();
    expect(await rig.tables.get('control', batchCallbackKey(batch, 'completed'))).toEqual(before);
    expect(await admin.changeTenant(id, 'globex')).toBe('changed');
    await rig.tables.write({ op: 'delete', table: 'control', key: batchHeadKey(batch) });
    expect(await admin.changeTenant(id, 'umbrella')).toBe('changed');
  });

  it('that has it already writes nothing, and an unknown one is an error', async () => {
    const { admin, batch } = await stage();
    expect(await admin.changeBatchTenant(batch, 'acme')).toMatchObject({ tenant: 'acme' });
    await expect(admin.changeBatchTenant('nobody', 'acme')).rejects.toThrow(BatchUnknownError);
    await expect(admin.changeBatchTenant(batch, '')).rejects.toThrow('null for none');
    await expect(admin.changeBatchTenant(batch, 'x', { why: 'y' } as never)).rejects.toThrow(/why/);
    expect(await admin.audit()).toEqual([]);
  });

  it.each(['with callbacks', 'without callbacks'])('is looked at again when somebody else changed it meanwhile: %s', async (which) => {
    const { rig, admin, batch: called } = await stage();
    const batch = which === 'with callbacks' ? called : (await rig.client.createBatch({ tenant: 'acme' })).id;
    const transact = rig.tables.transact.bind(rig.tables);
    let raced = false;
    rig.tables.transact = async (...given) => {
      if (!raced) {
        raced = true;
        await createAdminOver(rig.deps).changeBatchTenant(batch, 'umbrella');
      }
      return transact(...given);
    };
    expect(await admin.changeBatchTenant(batch, 'globex')).toMatchObject({ tenant: 'globex' });
    const told = (await admin.audit()).map(({ tenant, detail }) => `${tenant} ${detail}`);
    expect(told.toSorted()).toEqual(['acme to umbrella', 'umbrella to globex']);
  });

  it('takes its callbacks along also when it had another tenant while they were read', async () => {
    const { rig, admin, batch, run, ran } = await stage();
    const [get, transact] = [rig.tables.get.bind(rig.tables), rig.tables.transact.bind(rig.tables)];
    const others = ['globex', 'acme'];
    const another = async (): Promise<void> => {
      const tenant = others.shift();
      if (tenant !== undefined)
        await createAdminOver({ ...rig.deps, tables: { ...rig.tables, get, transact } }).changeBatchTenant(batch, tenant);
    };
    rig.tables.get = async (table, key) => {
      if (others.length === 2 && key['sk'] === 'call#completed') await another();
      return get(table, key);
    };
    rig.tables.transact = async (...given) => {
      await another();
      return transact(...given);
    };
    expect(await admin.changeBatchTenant(batch, 'initech')).toMatchObject({ tenant: 'initech' });
    await run();
    await rig.drain();
    expect(Object.fromEntries(ran.filter(([what]) => what !== 'work'))).toMatchObject({ completed: 'initech' });
  });

  it('has its callbacks enqueued for the new tenant also when they were read before the change', async () => {
    const { rig, admin, batch, ran, run } = await stage();
    const get = rig.tables.get.bind(rig.tables);
    let raced = false;
    rig.tables.get = async (table, key) => {
      const row = await get(table, key);
      if (!raced && key['sk'] === 'call#completed') {
        raced = true;
        await admin.changeBatchTenant(batch, 'globex');
      }
      return row;
    };
    await run();
    await rig.drain();
    expect(raced).toBe(true);
    const told = ran.filter(([what]) => what !== 'work');
    expect(told).toHaveLength(2);
    expect(Object.fromEntries(told)).toEqual({ completed: 'globex', succeeded: 'umbrella' });
  });

  it('is changed on the command line, which says what to do about its jobs', async () => {
    const { rig, admin, batch } = await stage();
    const nightcrew = async (...args: readonly string[]) => {
      const terminal = fakeTerminal({ environment, admin, now: () => rig.clock.now() });
      return { code: await runCli(args, terminal.io), out: terminal.out(), err: terminal.err() };
    };
    const { code, out } = await nightcrew('batches', 'change-tenant', batch, '--to-tenant', 'globex', '--reason', 'merger');
    expect(code).toBe(0);
    expect(out).toContain(`nightcrew jobs change-tenant --batch ${batch} --to-tenant globex`);
    expect(await nightcrew('batches', 'change-tenant', batch, '--to-no-tenant')).toMatchObject({ code: 0 });
    expect((await admin.batch(batch))?.tenant).toBeUndefined();
    expect((await nightcrew('batches', 'change-tenant', batch)).code).toBe(2);
    expect((await nightcrew('batches', 'change-tenant', batch, '--to-tenant', 'x', '--to-no-tenant')).code).toBe(2);
  });
});
