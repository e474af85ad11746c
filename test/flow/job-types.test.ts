import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { EVERY_TYPE, putReport } from '../../shared/features/workers/store/worker-rows.ts';
import { rigTables } from '../support/rig-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const fine = defineJob('fine', { payload: anyPayload });
const broken = defineJob('broken', { payload: anyPayload, retry: 'never' });
const gone = defineJob('gone', { payload: anyPayload });
const done = (): undefined => undefined;
const dies = (): never => {
  throw new Error('no');
};

/** Two versions of a worker over the same tables: the second one has no `gone`. */
function deploy() {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  const old = new Rig({ clock, tables, version: '1', handlers: [fine.handle(done), gone.handle(done)] });
  const young = new Rig({ clock, tables, version: '2', handlers: [fine.handle(done), broken.handle(dies)] });
  return { clock, tables, old, young, admin: createAdminOver(young.deps) };
}

async function run(rig: Rig, ...jobs: readonly (typeof fine)[]): Promise<void> {
  for (const type of jobs) await rig.client.enqueue(type, {});
  await rig.drain();
}

describe('the types of a deployment', () => {
  it('are none while nothing was reported and nothing failed', async () => {
    expect(await deploy().admin.types()).toMatchObject({ types: [], anyType: [], complete: true });
  });

  it('are those that workers report, with the versions that have them, and whether the last one still does', async () => {
    const { old, young, clock, admin } = deploy();
    await run(old, fine);
    await clock.advance(MINUTE);
    const lastSeen = new Date(clock.now());
    await run(young, fine);
    const on = { worker: 'default', kind: 'lambda', off: false } as const;
    const idle = { deadLetters: 0, suspended: false, handlerMissing: false } as const;
    expect((await admin.types()).types).toEqual([
      { ...idle, type: 'broken', workers: [{ ...on, versions: ['2'], current: true, lastSeen }] },
      { ...idle, type: 'fine', workers: [{ ...on, versions: ['2', '1'], current: true, lastSeen }] },
      { ...idle, type: 'gone', workers: [{ ...on, versions: ['1'], current: false, lastSeen: new Date(lastSeen.getTime() - MINUTE) }] },
    ]);
  });

  it('are on a renamed worker by its present name, and not on a worker that the deployment no longer has', async () => {
    const { clock, tables, old } = deploy();
    await run(old, fine);
    const removed = { other: { lanes: { default: 'queue/other' } } };
    const onRemoved = new Rig({ clock, tables, version: '1', workers: removed, handlers: [fine.handle(done)] });
    Object.assign(onRemoved.deployment, { worker: 'other' });
    await onRemoved.client.enqueue({ ...fine, worker: 'other' }, {});
    await onRemoved.drain();
    await clock.advance(MINUTE);
    const workers = { mail: { lanes: { default: 'queue/mail' }, formerly: ['default'] } };
    const after = new Rig({ clock, tables, version: '2', workers, handlers: [broken.handle(dies)] });
    Object.assign(after.deployment, { worker: 'mail' });
    await after.client.enqueue({ ...broken, worker: 'mail' }, {});
    await after.drain();
    expect((await createAdminOver(after.deps).types()).types).toMatchObject([
      { type: 'broken', workers: [{ worker: 'mail', versions: ['2'], current: true }] },
      { type: 'fine', workers: [{ worker: 'mail', versions: ['1'], current: false }] },
      { type: 'gone', workers: [{ worker: 'mail', versions: ['1'], current: false }] },
    ]);
  });

  it('have the dead letters of their open error groups, and are known by these alone when no worker reports them any more', async () => {
    const { young, clock, admin } = deploy();
    await run(young, broken, broken);
    await clock.advance(31 * 24 * 60 * MINUTE);
    expect((await admin.types()).types).toMatchObject([{ type: 'broken', workers: [], deadLetters: 2 }]);
    const { jobs } = await admin.list({ state: 'dead' });
    await admin.delete(jobs[0]?.id ?? '');
    expect((await admin.types()).types).toMatchObject([{ type: 'broken', deadLetters: 1 }]);
    await admin.delete(jobs[1]?.id ?? '');
    expect((await admin.types()).types).toEqual([]);
  });

  it('say whether they are suspended, switched off on a worker, or have jobs without a handler', async () => {
    const { young, clock, admin } = deploy();
    await run(young, fine, gone);
    const told = { reason: 'look' };
    await admin.suspend({ type: 'fine', worker: 'default' }, told);
    await admin.suspend({ type: 'broken' }, { ...told, until: { for: 'PT1H' } });
    expect((await admin.types()).types).toMatchObject([
      { type: 'broken', suspended: true, handlerMissing: false, workers: [{ off: false }] },
      { type: 'fine', suspended: false, handlerMissing: false, workers: [{ off: true }] },
      { type: 'gone', suspended: false, handlerMissing: true, workers: [] },
    ]);
    await clock.advance(61 * MINUTE);
    expect((await admin.types()).types[0]).toMatchObject({ type: 'broken', suspended: false });
    await admin.suspend('all', told);
    expect((await admin.types()).types.map(({ suspended }) => suspended)).toEqual([true, true, true]);
  });

  it('are not `*`: a worker that takes every type is named apart', async () => {
    const { tables, clock, young } = deploy();
    const deployed = new Rig({ clock, tables, workers: { python: { lanes: { default: 'queue/python' } } } });
    const admin = createAdminOver({ ...young.deps, deployment: deployed.deployment });
    const report = { kind: 'outside', version: '1', at: clock.now() } as const;
    await putReport(tables, { ...report, worker: 'python', types: [EVERY_TYPE] });
    await putReport(tables, { ...report, worker: 'python', version: '2', types: [EVERY_TYPE] });
    expect(await admin.types()).toMatchObject({ types: [], anyType: ['python'] });
  });

  it('say that some may be missing when there are too many error groups to read', async () => {
    const { young, admin, tables } = deploy();
    await run(young, broken);
    const query = tables.query.bind(tables);
    tables.query = async (asked) => {
      const page = await query(asked);
      return asked.partition === 'error-groups' ? { ...page, readUnits: 500, cursor: { pk: 'error-groups', sk: 'x' } } : page;
    };
    expect(await admin.types()).toMatchObject({ complete: false, types: [{ type: 'broken', deadLetters: 1 }, { type: 'fine' }] });
  });
});
