import { describe, expect, it } from 'vitest';
import { cleanUnlessOff } from '../../../../functions/cleaner/clean-unless-off.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { createMemoryPayloads } from '../../../../shared/adapters/memory/payloads.ts';
import { makeJobId } from '../../../../shared/job/job-id.ts';
import { cleanPayloads } from '../../../../shared/features/claim-check/store/clean-payloads.ts';
import { claimCheck, defineJob, fail } from '../../../../shared/index.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const LARGE = { text: 'x'.repeat(20_000) };
const DAY_MS = 86_400_000;

function stage(pageSize = 1_000) {
  const rig = new Rig();
  const payloads = createMemoryPayloads({ now: () => rig.clock.now(), pageSize });
  const load = defineJob('load', { payload: anyPayload, retry: 'never', codec: claimCheck({ store: payloads }) });
  const admin = createAdminOver({ ...rig.deps, jobTypes: new Map([['load', load]]) });
  const deps = { tables: rig.tables, payloads, clock: rig.clock };
  const clean = async (until = Number.POSITIVE_INFINITY) => cleanPayloads(deps, until);
  const drain = async (handled: Parameters<typeof load.handle>[0]) =>
    rig.drain({ ...rig.deps, handlers: new Map([['load', load.handle(handled)]]) });
  return { rig, payloads, load, admin, clean, drain, deps };
}

const NONE = { removed: 0, referred: 0, young: 0, foreign: 0, complete: true };

describe('the cleaner of the payload store', () => {
  it('removes after a day what no row refers to: of a row that was never written', async () => {
    const { rig, payloads, clean } = stage();
    await payloads.put(makeJobId(rig.clock.now(), new Uint8Array(10)), 'text');
    await rig.clock.advance(DAY_MS - 1);
    expect(await clean()).toEqual({ ...NONE, young: 1 });
    await rig.clock.advance(1);
    expect(await clean()).toEqual({ ...NONE, removed: 1 });
    expect(await clean()).toEqual(NONE);
  });

  it('leaves what a job needs in whatever state it is, and removes what an edit and a deletion left', async () => {
    const { rig, load, admin, clean, drain } = stage();
    const [waiting, moved, suspended, dead, edited, deleted] = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => rig.client.enqueue(load, LARGE, n === 2 ? { tenant: 'held' } : { delay: 'P2D' })),
    );
    await rig.client.reschedule(moved?.id ?? '', { delay: 'P9D' });
    await admin.suspend({ tenant: 'held' }, { reason: 'later' });
    await admin.runNow(dead?.id ?? '');
    await drain(() => fail('no', { retry: false }));
    expect([(await rig.rows('suspended')).length, (await rig.rows('deadLetters')).length]).toEqual([1, 1]);
    await admin.editPayload(edited?.id ?? '', { text: 'y'.repeat(20_000) });
    await rig.client.cancel(deleted?.id ?? '');
    await rig.clock.advance(DAY_MS);
    const ready = await rig.client.enqueue(load, LARGE);
    await rig.clock.advance(DAY_MS / 2);
    expect(await clean()).toEqual({ removed: 2, referred: 5, young: 1, foreign: 0, complete: true });
    await rig.clock.advance(DAY_MS / 2);
    expect(await clean()).toMatchObject({ removed: 0, referred: 6 });
    const ran: string[] = [];
    for (const one of [waiting, moved, edited]) await admin.runNow(one?.id ?? '');
    await admin.resume({ tenant: 'held' }, {});
    await rig.sweep();
    await admin.redrive(dead?.id ?? '');
    await drain(({ job }) => void ran.push(job.id));
    await rig.clock.advance(60_000);
    await drain(({ job }) => void ran.push(job.id));
    expect(new Set(ran)).toEqual(new Set([waiting, moved, suspended, dead, edited, ready].map((one) => one?.id)));
    expect(ran).toHaveLength(6);
  });

  it('leaves what it did not store', async () => {
    const { rig, payloads, clean } = stage();
    const keys = ['readme.txt', 'a/b', `${makeJobId(0, new Uint8Array(10))}/a/b`, `${makeJobId(0, new Uint8Array(10))}/`];
    const foreign = { ...payloads, list: async () => ({ payloads: keys.map((key) => ({ key, storedAt: 0, bytes: 1 })) }) };
    await rig.clock.advance(2 * DAY_MS);
    expect(await cleanPayloads({ tables: rig.tables, payloads: foreign, clock: rig.clock }, 0)).toEqual({ ...NONE, foreign: 4 });
    expect(await clean()).toEqual(NONE);
  });

  it('leaves what a damaged dead letter names, which may be repaired', async () => {
    const { rig, load, clean } = stage();
    const { id } = await rig.client.enqueue(load, LARGE);
    const [row] = await rig.rows('jobs');
    await rig.tables.write({ op: 'put', table: 'jobs', row: { ...row, id, rev: 'damaged' } });
    await rig.drain();
    await rig.clock.advance(60_000);
    await rig.sweep();
    expect(await rig.rows('deadLetters')).toMatchObject([{ id, reason: 'unreadable' }]);
    await rig.clock.advance(DAY_MS);
    expect(await clean()).toEqual({ ...NONE, referred: 1 });
  });

  it('continues in its next run where its time was over', async () => {
    const { rig, payloads, clean } = stage(2);
    for (let n = 0; n < 5; n++) await payloads.put(makeJobId(n, new Uint8Array(10)), 'text');
    await rig.clock.advance(DAY_MS);
    expect(await clean(0)).toEqual({ ...NONE, removed: 2, complete: false });
    expect(await clean(0)).toEqual({ ...NONE, removed: 2, complete: false });
    expect(await clean(0)).toEqual({ ...NONE, removed: 1 });
    await payloads.put(makeJobId(0, new Uint8Array(10)), 'text');
    expect(await clean(0)).toEqual({ ...NONE, young: 1 });
  });

  it('ends two minutes before it is killed, after the page that it began', async () => {
    const { rig, payloads, deps } = stage(1);
    for (let n = 0; n < 3; n++) await payloads.put(makeJobId(n, new Uint8Array(10)), 'text');
    await rig.clock.advance(DAY_MS);
    const clean = async (leftMs: number) => cleanUnlessOff(deps, { requestId: 'tick', deadlineAt: rig.clock.now() + leftMs });
    expect(await clean(120_000)).toMatchObject({ removed: 1, complete: false });
    expect(await clean(120_001)).toMatchObject({ removed: 2, complete: true });
  });

  it('does nothing while the deployment is switched off: its tables may be in the middle of a restore', async () => {
    const { rig, payloads, deps, admin } = stage();
    await payloads.put(makeJobId(0, new Uint8Array(10)), 'text');
    await rig.clock.advance(DAY_MS);
    await admin.switchDeployment('deactivate', { actor: 'anna', reason: 'restore' });
    const clean = async () => cleanUnlessOff(deps, { requestId: 'tick', deadlineAt: rig.clock.now() + 900_000 });
    expect(await clean()).toEqual({ ...NONE, complete: false });
    await admin.switchDeployment('activate', { actor: 'anna', reason: 'done' });
    expect(await clean()).toEqual({ ...NONE, removed: 1 });
  });

  it('says in its row what it found, and when', async () => {
    const { rig, payloads, clean } = stage();
    await payloads.put(makeJobId(0, new Uint8Array(10)), 'text');
    await rig.clock.advance(DAY_MS);
    await clean();
    const row = { pk: 'clean-cursor', sk: 'payloads', after: '', at: new Date(rig.clock.now()).toISOString(), removed: 1, referred: 0 };
    expect(await rig.rows('control')).toMatchObject([row]);
  });

  it('stops where a store does not answer, without a step further', async () => {
    const { rig, payloads, deps } = stage(1);
    for (let n = 0; n < 3; n++) await payloads.put(makeJobId(n, new Uint8Array(10)), 'text');
    await rig.clock.advance(DAY_MS);
    const away = { ...deps, payloads: { ...payloads, delete: async () => Promise.reject(new Error('away')) } };
    await expect(cleanPayloads(away, 1e15)).rejects.toThrow('away');
    expect(await cleanPayloads(deps, 1e15)).toEqual({ ...NONE, removed: 3 });
  });

  it('looks twice before it removes: a job may move between its reads', async () => {
    const { rig, load, payloads } = stage();
    const { id } = await rig.client.enqueue(load, LARGE);
    await rig.clock.advance(DAY_MS);
    let hidden = 2;
    const moving: Rig['tables'] = {
      ...bound(rig.tables),
      get: async (table, key) => (table === 'jobs' && hidden-- > 0 ? undefined : rig.tables.get(table, key)),
    };
    expect(await cleanPayloads({ tables: moving, payloads, clock: rig.clock }, 0)).toEqual({ ...NONE, referred: 1 });
    expect((await rig.rows('jobs'))[0]?.['id']).toBe(id);
  });
});

/** The verbs of a store, so that one of them can be another. */
function bound(tables: Rig['tables']): Rig['tables'] {
  return {
    get: tables.get.bind(tables),
    write: tables.write.bind(tables),
    transact: tables.transact.bind(tables),
    query: tables.query.bind(tables),
    scan: tables.scan.bind(tables),
    putAll: tables.putAll.bind(tables),
  };
}
