import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { fail } from '../../shared/job/verdict.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const other = defineJob('other', { payload: anyPayload });

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
  /** Of each tenant one job in each state in which jobs can be listed, but for running ones. */
  readonly ids: Readonly<Record<'acme' | 'umbrella', Readonly<Record<'waiting' | 'ready' | 'suspended' | 'dead', string>>>>;
}

async function stage(): Promise<Stage> {
  const rig = new Rig({
    handlers: [work.handle(({ payload }) => (payload['fails'] === true ? fail('asked to') : undefined)), other.handle(() => {})],
  });
  const admin = createAdminOver({ ...rig.deps, actor: 'alice' });
  const of = async (tenant: string) => {
    const client = rig.client;
    const dead = await client.enqueue(work, { fails: true }, { tenant });
    await rig.drain();
    const suspended = await client.enqueue(work, {}, { tenant });
    await admin.breakpoint(suspended.id, { reason: 'test' });
    const waiting = await client.enqueue(other, {}, { tenant, delay: 'PT5H' });
    const ready = await client.enqueue(work, {}, { tenant, delay: 'PT1M' });
    return { dead: dead.id, suspended: suspended.id, waiting: waiting.id, ready: ready.id };
  };
  return { rig, admin, ids: { acme: await of('acme'), umbrella: await of('umbrella') } };
}

describe('an admin for one tenant', () => {
  it('has the verbs that its page lists, and no other', () => {
    const [list = ''] = /It has `find`[^.]*\./s.exec(readFileSync('docs/guides/tenants.md', 'utf8')) ?? [];
    const verbs = Object.keys(createAdminOver(new Rig().deps).forTenant('acme')).filter((name) => name !== 'tenant');
    expect([...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).toSorted()).toEqual(verbs.toSorted());
  });

  it('lists and counts only the jobs of that tenant', async () => {
    const { admin, ids } = await stage();
    const acme = admin.forTenant('acme');
    for (const state of ['waiting', 'ready', 'suspended', 'dead'] as const) {
      expect((await acme.list({ state })).jobs.map(({ id }) => id)).toEqual([ids.acme[state]]);
      expect((await admin.list({ state })).jobs).toHaveLength(2);
    }
    expect(await acme.count()).toMatchObject({ waiting: 1, ready: 1, suspended: 1, dead: 1, running: 0, complete: true });
    expect(await admin.count({ type: 'other' })).toMatchObject({ waiting: 2, ready: 0, dead: 0 });
    expect((await acme.list({ state: 'dead', type: 'other' })).jobs).toEqual([]);
  });

  it('finds no job of another tenant, whatever it is asked to do with it', async () => {
    const { admin, ids, rig } = await stage();
    const acme = admin.forTenant('acme');
    const { umbrella } = ids;
    const before = await rig.counts();
    expect(await acme.runNow(umbrella.ready)).toBe('not-found');
    expect(await acme.breakpoint(umbrella.ready, { reason: 'not mine' })).toBe('not-found');
    expect(await acme.resumeJob(umbrella.suspended)).toBe('not-found');
    expect(await acme.setPriority(umbrella.waiting, 5)).toBe('not-found');
    expect(await acme.redrive(umbrella.dead)).toBe('not-found');
    expect(await acme.setRetries(umbrella.ready, 5)).toBe('not-found');
    expect(await acme.setDueDate(umbrella.waiting, { delay: 0 })).toBe('not-found');
    expect(await rig.counts()).toEqual(before);
    expect(await acme.redrive(ids.acme.dead)).toBe('redriven');
    expect(await acme.runNow(ids.acme.suspended)).toBe('started');
  });

  it('refuses every scope but its own, and lists no rule of another', async () => {
    const { admin } = await stage();
    const acme = admin.forTenant('acme');
    for (const scope of ['all', { type: 'work' }, { tenant: 'umbrella' }, { group: 'g' }] as const) {
      await expect(acme.suspend(scope, { reason: 'not mine' })).rejects.toThrow(InvalidInputError);
      await expect(acme.resume(scope)).rejects.toThrow(InvalidInputError);
    }
    await expect(acme.overridePriority({ type: 'work' }, 1)).rejects.toThrow(/scope/);
    await acme.suspend({ tenant: 'acme' }, { reason: 'unpaid' });
    await admin.suspend({ tenant: 'umbrella' }, { reason: 'other' });
    await acme.overridePriority({ tenant: 'acme' }, 3, { default: true });
    expect((await acme.suspensions()).map(({ scope }) => scope)).toEqual(['tenant#acme']);
    expect(await acme.priorities()).toMatchObject([{ scope: 'tenant#acme', priority: 3, default: true }]);
    expect(await admin.suspensions()).toHaveLength(2);
    expect(() => admin.forTenant('')).toThrow(/tenant/);
  });

  it('cancels only what is its own', async () => {
    const { admin, rig, ids } = await stage();
    expect(await admin.forTenant('acme').cancelWhere({})).toMatchObject({ cancelled: 3 });
    expect((await rig.client.get(ids.umbrella.ready))?.state).toBe('ready');
  });
});

describe('the audit', () => {
  it('edits, deletes and acts in bulk on what is its own, and gives nothing away', async () => {
    const { admin, ids, rig } = await stage();
    const acme = admin.forTenant('acme');
    expect(await acme.editPayload(ids.umbrella.dead, {})).toBe('not-found');
    expect(await acme.delete(ids.umbrella.dead)).toBe('not-found');
    expect(await acme.editPayload(ids.acme.dead, {})).toBe('edited');
    expect(await acme.bulk({ verb: 'set-priority', priority: 3 }, {})).toMatchObject({ matched: 3, done: 3 });
    expect(await acme.bulk({ verb: 'redrive' }, { tenant: 'umbrella' } as never, { dryRun: true })).toMatchObject({ matched: 1 });
    for (const action of [
      { verb: 'change-tenant', tenant: 'umbrella' },
      { verb: 'move', worker: 'default' },
    ] as const) {
      await expect(acme.bulk(action, {})).rejects.toThrow(`"${action.verb}" is not valid. Only the admin of the whole deployment`);
    }
    expect((await acme.audit()).map(({ verb }) => verb)).toContain('bulk set-priority');
    expect(await acme.delete(ids.acme.dead)).toBe('deleted');
    expect(await rig.rows('deadLetters')).toMatchObject([{ id: ids.umbrella.dead, tenant: 'umbrella' }]);
  });

  it('tells who did what to which job of which tenant, and why, newest first', async () => {
    const { admin, rig, ids } = await stage();
    await rig.clock.advance(1);
    await admin.suspend({ type: 'work' }, { reason: 'flood', actor: 'bob' });
    await rig.clock.advance(1);
    await admin.setPriority(ids.acme.waiting, 7, { reason: 'urgent' });
    await rig.clock.advance(1);
    await admin.redrive(ids.umbrella.dead);
    await rig.clock.advance(1);
    await admin.resume({ type: 'work' }, { ratePerSecond: 5 });
    expect(await admin.audit({ limit: 4 })).toMatchObject([
      { verb: 'resume', actor: 'alice', scope: 'type#work', detail: '5 a second' },
      { verb: 'redrive', actor: 'alice', jobId: ids.umbrella.dead, tenant: 'umbrella', type: 'work' },
      { verb: 'setPriority', actor: 'alice', jobId: ids.acme.waiting, tenant: 'acme', type: 'other', reason: 'urgent', detail: '7' },
      { verb: 'suspend', actor: 'bob', scope: 'type#work', reason: 'flood' },
    ]);
    expect((await admin.forTenant('umbrella').audit()).map(({ verb }) => verb)).toEqual(['redrive', 'breakpoint']);
    expect(await admin.audit({ day: '2001-01-01' })).toEqual([]);
    await expect(admin.audit({ day: 'today' })).rejects.toThrow(/day/);
  });

  it('tells nothing of what changed nothing', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    const id = rig.client.newId();
    await Promise.all([admin.runNow(id), admin.redrive(id), admin.resume('all'), admin.clearPriority({ type: 'work' })]);
    expect(await admin.audit()).toEqual([]);
  });
});

describe('a list', () => {
  it('goes on where it stopped, and meets each job once', async () => {
    const rig = new Rig({ handlers: [] });
    const admin = createAdminOver(rig.deps);
    const { ids } = await rig.client.enqueueMany(
      work,
      Array.from({ length: 25 }, () => ({})),
    );
    const met: string[] = [];
    let after: string | undefined;
    do {
      const page = await admin.list({ state: 'ready', limit: 10, ...(after === undefined ? {} : { after }) });
      met.push(...page.jobs.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(met).toHaveLength(25);
    expect(new Set(met)).toEqual(new Set(ids));
    await expect(admin.list({ state: 'ready', after: 'nonsense' })).rejects.toThrow(/after/);
    await expect(admin.list({ state: 'gone' as never })).rejects.toThrow(/state/);
    await expect(admin.list({ state: 'ready', limit: 0 })).rejects.toThrow(/limit/);
  });
});
