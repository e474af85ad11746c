import { describe, expect, it, test } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { defineJob, fail } from '../../shared/index.ts';
import { idKey } from '../../shared/store/rows.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const other = defineJob('other', { payload: anyPayload });
const unknown = defineJob('unknown', { payload: anyPayload });

/** A rig with a job of tenant `acme` in each state, beside those of another tenant that nothing may touch. */
async function fullRig() {
  const reasons: unknown[] = [];
  const rig: Rig = new Rig({
    handlers: [
      work.handle(async ({ payload, signal }) => {
        if (payload['fails'] === true) return fail('no');
        await rig.clock.wait(60_000, signal);
        reasons.push(signal.reason);
        signal.throwIfAborted();
        return undefined;
      }),
    ],
  });
  const ids: Record<string, string> = {};
  for (const tenant of ['acme', 'globex']) {
    ids[`${tenant} suspended`] = (await rig.client.enqueue(unknown, {}, { tenant })).id;
    ids[`${tenant} dead`] = (await rig.client.enqueue(work, { fails: true }, { tenant })).id;
  }
  await rig.drain();
  for (const tenant of ['acme', 'globex']) ids[`${tenant} running`] = (await rig.client.enqueue(work, {}, { tenant })).id;
  const delivered = rig.deliver();
  await rig.settle();
  for (const tenant of ['acme', 'globex']) {
    ids[`${tenant} waiting`] = (await rig.client.enqueue(work, {}, { tenant, delay: 'P1D' })).id;
    ids[`${tenant} ready`] = (await rig.client.enqueue(work, {}, { tenant, key: 'k' })).id;
  }
  return { rig, admin: createAdminOver(rig.deps), ids, delivered, reasons };
}

describe('cancelWhere', () => {
  test("cancels the jobs of a tenant in every state but dead, and nobody else's", async () => {
    const { rig, admin, ids, delivered, reasons } = await fullRig();
    const report = await admin.cancelWhere({ tenant: 'acme' }, { reason: 'left us', actor: 'anna' });
    expect(report).toMatchObject({ found: 4, cancelled: 3, requested: 1, ended: 0, failed: 0 });
    expect(report.states).toEqual({ waiting: 1, suspended: 1, ready: 1, running: 1 });
    expect(report.next).toBeUndefined();
    for (const state of ['waiting', 'ready', 'suspended']) {
      expect(await rig.client.get(ids[`acme ${state}`] ?? '')).toMatchObject({ outcome: 'cancelled', cancelReason: 'left us' });
    }
    for (const state of ['waiting', 'ready', 'suspended', 'running', 'dead']) {
      expect(await rig.client.get(ids[`globex ${state}`] ?? '')).toMatchObject({ state, cancelRequested: false });
    }
    expect(await rig.client.get(ids['acme dead'] ?? '')).toMatchObject({ state: 'dead' });
    // The key is free again.
    expect(await rig.client.enqueue(work, {}, { tenant: 'acme', key: 'k' })).toMatchObject({ duplicate: false });
    await rig.until(delivered, 1_000);
    expect(await rig.client.get(ids['acme running'] ?? '')).toMatchObject({ outcome: 'cancelled', cancelledBy: 'anna' });
    expect(reasons).toContainEqual(expect.objectContaining({ reason: 'left us', by: 'anna' }));
  });

  test('is safe to repeat: a second call finds nothing, not even the job that was asked to stop and still runs', async () => {
    const { rig, admin, ids, delivered } = await fullRig();
    await admin.cancelWhere({ tenant: 'acme' }, { reason: 'first' });
    expect(await admin.cancelWhere({ tenant: 'acme' }, { reason: 'second' })).toMatchObject({ found: 0, cancelled: 0, requested: 0 });
    await rig.until(delivered, 1_000);
    expect(await rig.client.get(ids['acme running'] ?? '')).toMatchObject({ outcome: 'cancelled', cancelReason: 'first' });
  });

  test('writes nothing when it only counts', async () => {
    const { rig, admin, delivered } = await fullRig();
    const before = await rig.counts();
    expect(await admin.cancelWhere({ tenant: 'acme' }, { dryRun: true })).toMatchObject({ found: 4, cancelled: 0, requested: 0 });
    expect(await rig.counts()).toEqual(before);
    await rig.until(delivered, 1_000);
    expect(rig.journal.count('cancelled')).toBe(0);
  });

  test('takes several values together', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    for (const type of [work, other]) {
      for (const group of ['g', 'h']) await rig.client.enqueue(type, {}, { group, tenant: 'acme' });
    }
    expect(await admin.cancelWhere({ type: 'work', group: 'g', tenant: 'acme' })).toMatchObject({ found: 1, cancelled: 1 });
    expect((await rig.rows('jobs')).map((row) => `${String(row['type'])} ${String(row['group'])}`).toSorted()).toEqual([
      'other g',
      'other h',
      'work h',
    ]);
  });

  test('stops at its limit and goes on where it stopped', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 25 }, () => ({})),
      { delay: 'P1D' },
    );
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 25 }, () => ({})),
    );
    await rig.client.enqueueMany(
      other,
      Array.from({ length: 5 }, () => ({})),
    );
    const counted = await admin.cancelWhere({ type: 'work' }, { limit: 20, dryRun: true });
    expect(await admin.cancelWhere({ type: 'work' }, { dryRun: true, after: counted.next ?? '' })).toMatchObject({ found: 30 });
    const found: number[] = [];
    for (let after: string | undefined, call = 0; call === 0 || after !== undefined; call++) {
      const report = await admin.cancelWhere({ type: 'work' }, { limit: 20, ...(after === undefined ? {} : { after }) });
      found.push(report.found);
      after = report.next;
    }
    expect(found.slice(0, 3)).toEqual([20, 20, 10]);
    expect(await rig.counts()).toMatchObject({ timers: 0, jobs: 5 });
  });

  test('goes on behind jobs that it cancelled, page after page', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 450 }, () => ({})),
    );
    expect(await admin.cancelWhere({ type: 'work' })).toMatchObject({ found: 450, cancelled: 450, failed: 0 });
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
  });

  test('stops at its read units, having found nothing, and goes on there', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    await rig.client.enqueueMany(
      other,
      Array.from({ length: 30 }, () => ({ text: 'x'.repeat(5_000) })),
      { delay: 'P1D' },
    );
    await rig.client.enqueue(work, {});
    const first = await admin.cancelWhere({ type: 'work' }, { maxReadUnits: 1 });
    expect(first).toMatchObject({ found: 0, next: expect.any(String) });
    expect(first.readUnits).toBeGreaterThan(1);
    expect(await admin.cancelWhere({ type: 'work' }, { after: first.next ?? '' })).toMatchObject({ found: 1, cancelled: 1 });
  });

  test('counts a row that cannot be read as failed, and goes on', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    const { id } = await rig.client.enqueue(work, {});
    await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { dueAt: 'soon' } });
    expect(await admin.cancelWhere({ type: 'work' })).toMatchObject({ found: 2, cancelled: 1, failed: 1 });
    expect(rig.journal.count('store-failed')).toBe(1);
  });

  test.each([
    [{}, {}, /filter/],
    [{ tenant: '' }, {}, /tenant/],
    [{ type: 'work', tenant: undefined, group: [] }, {}, /group/],
    [{ type: 'work', state: 'dead' }, {}, /state/],
    [{ outcome: 'completed' }, {}, /outcome: .*Leave it out/],
    [{ type: 'work', fingerprint: 'f' }, {}, /fingerprint/],
    [{ state: ['ready', 'finished'] }, {}, /state/],
    [{ type: 'work', state: 'gone' }, {}, /state/],
    [{ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, {}, /to/],
    [{ tennant: 'acme' }, {}, /tennant/],
    [{ tenant: 'acme' }, { limit: 0 }, /limit/],
    [{ tenant: 'acme' }, { maxReadUnits: 0.5 }, /maxReadUnits/],
    [{ tenant: 'acme' }, { after: 'nonsense' }, /after/],
    [{ tenant: 'acme' }, { after: Buffer.from('{"table":"jobs","after":{}}').toString('base64url') }, /after/],
    [{ tenant: 'acme' }, { after: Buffer.from('{"table":"control"}').toString('base64url') }, /after/],
  ])('refuses what would mean every job, or nothing: %j %j', async (filter, options, message) => {
    const rig = new Rig();
    await rig.client.enqueue(work, {}, { tenant: 'acme' });
    await expect(createAdminOver(rig.deps).cancelWhere(filter as never, options)).rejects.toThrow(message);
    expect(await rig.counts()).toMatchObject({ jobs: 1 });
  });
});

describe('a cancel in bulk that meets rows that cannot be read, or a store that does not answer', () => {
  /** Ready jobs, the first of a scan damaged, and a scan that gives one row and counts two read units. */
  async function damaged(types: readonly (typeof work)[], scans: (scan: number) => void = () => {}) {
    const rig = faultyRig();
    for (const type of types) await rig.client.enqueue(type, {});
    const [first] = (await rig.tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 1 })).rows;
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(String(first?.['id'])), set: { dueAt: 'soon' } });
    let count = 0;
    const scan: Rig['tables']['scan'] = async (given) => {
      if (given.table === 'jobs') scans(++count);
      return { ...(await rig.tables.scan({ ...given, limit: 1 })), readUnits: 2 };
    };
    return { rig, admin: createAdminOver({ ...rig.deps, tables: { ...rig.tables, scan } }) };
  }
  const sixOf = (type: typeof work) => Array.from({ length: 6 }, () => type);

  it('cancels as many as its limit all the same, and says which it could not', async () => {
    const { rig } = await damaged(sixOf(work));
    const report = await createAdminOver(rig.deps).cancelWhere({ type: 'work', state: 'ready' }, { limit: 3 });
    expect(report).toMatchObject({ found: 4, cancelled: 3, failed: 1 });
    expect(report.next).toBeDefined();
    expect(await rig.rows('jobs')).toHaveLength(3);
    expect(rig.journal.count('store-failed')).toBe(1);
  });

  it('reads no more than it may, over all of its pages', async () => {
    const { rig, admin } = await damaged(sixOf(work));
    for (const [n, { id }] of (await rig.rows('jobs')).entries())
      if (n > 0) await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(String(id)), set: { type: 'other' } });
    const report = await admin.cancelWhere({ type: ['work'], state: 'ready' }, { limit: 1, maxReadUnits: 5 });
    expect(report).toMatchObject({ found: 1, failed: 1, cancelled: 0 });
    expect(report.readUnits).toBeLessThan(8);
  });

  it('goes on without the one for which the store does not answer, and journals that', async () => {
    const rig = faultyRig();
    await rig.client.enqueueMany(work, [{}, {}, {}]);
    rig.faults.next((writes) => writes.some((one) => one.op === 'delete' && one.table === 'jobs'), 'unavailable');
    const report = await createAdminOver(rig.deps).cancelWhere({ type: 'work' });
    expect(report).toMatchObject({ found: 3, cancelled: 2, ended: 0, failed: 1 });
    expect(rig.journal.entries.filter(({ event }) => event === 'store-failed')).toMatchObject([{ reason: 'cancel-where' }]);
  });

  it('tells the error that ended it, also where the audit cannot be told', async () => {
    let audits = 0;
    const { rig, admin } = await damaged(sixOf(work), (scan) => {
      if (scan > 2) throw new StoreUnavailableError('scan', new Error('throttled'));
    });
    rig.faults.next(
      (writes) => writes.some((one) => one.op === 'put' && String(one.row['pk']).startsWith('audit#')) && ++audits === 2,
      'unavailable',
    );
    const error: unknown = await admin.cancelWhere({ type: 'work', state: 'ready' }, { limit: 2 }).catch((thrown: unknown) => thrown);
    expect(String((error as Error).cause)).toContain('throttled');
    expect(rig.faults.pending()).toBe(0);
  });
});

describe('the audit of a cancel in bulk', () => {
  /** So many ready jobs, in a store that fails at the n-th scan of the table. */
  async function failing(scan: number) {
    const rig = new Rig();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 600 }, () => ({})),
    );
    let scans = 0;
    const tables: Rig['tables'] = {
      ...rig.tables,
      async scan(request) {
        if (request.table === 'jobs' && ++scans === scan) throw new StoreUnavailableError('scan', new Error('throttled'));
        return rig.tables.scan(request);
      },
    };
    return { rig, admin: createAdminOver({ ...rig.deps, tables }) };
  }
  const entries = async ({ admin }: Awaited<ReturnType<typeof failing>>) =>
    (await admin.audit()).filter(({ verb }) => verb === 'cancelWhere').map(({ actor, reason, detail }) => ({ actor, reason, detail }));

  it('tells of one that an error ended in the middle, and how many it had cancelled', async () => {
    const stage = await failing(3);
    const told = { reason: 'oops', actor: 'eve' };
    await expect(stage.admin.cancelWhere({ type: 'work' }, told)).rejects.toThrow(StoreUnavailableError);
    const cancelled = 600 - (await stage.rig.counts()).jobs;
    expect(cancelled).toBeGreaterThan(0);
    const found = await entries(stage);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ ...told, detail: 'began' });
    expect(found).toContainEqual({ ...told, detail: `failed after ${cancelled} cancelled, 0 asked to stop` });
  });

  it('has an entry at its begin and one with the counts at its end, and none where nothing matches or nothing is written', async () => {
    const stage = await failing(100);
    await stage.admin.cancelWhere({ type: 'other' });
    await stage.admin.cancelWhere({ type: 'work' }, { dryRun: true });
    expect(await entries(stage)).toEqual([]);
    await stage.admin.cancelWhere({ type: 'work' });
    expect((await entries(stage)).map(({ detail }) => String(detail)).toSorted()).toEqual(['600 cancelled, 0 asked to stop', 'began']);
  });
});
