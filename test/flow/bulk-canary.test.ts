import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { idKey } from '../../shared/store/rows.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';
import { faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const untold = defineJob('untold', { payload: anyPayload, retry: 'never', history: 'off' });

async function untoldDeadLetters() {
  const health = { broken: true };
  const rig = new Rig({
    handlers: [
      untold.handle(() => {
        if (health.broken) throw new Error('no');
      }),
    ],
  });
  await rig.client.enqueueMany(untold, [{}, {}, {}]);
  await rig.drain();
  await rig.clock.advance(1_000);
  health.broken = false;
  return rig;
}

describe('a canary of a type that History does not keep', () => {
  it.each([
    ['at once where the type is known', true, 0, 2_000],
    ['after half a minute where it is not', false, 30_000, 40_000],
  ])('is known to have completed by its absence: %s', async (_when, known, afterMs, withinMs) => {
    const rig = await untoldDeadLetters();
    const admin = createAdminOver({ ...rig.deps, ...(known ? { jobTypes: new Map([[untold.name, untold]]) } : {}) });
    const begun = rig.clock.now();
    const going = admin.bulk({ verb: 'redrive' }, { type: 'untold' }, { canary: true });
    await rig.settle();
    await rig.drain();
    expect(await rig.until(going, 500)).toMatchObject({ status: 'done', done: 3, canary: { outcome: 'completed' } });
    expect(rig.clock.now() - begun).toBeGreaterThanOrEqual(afterMs);
    expect(rig.clock.now() - begun).toBeLessThanOrEqual(withinMs);
  });
});

describe('a canary of a resume', () => {
  /** Two that wait for tomorrow, and one that is due. */
  async function stopped(due: boolean) {
    const { rig, admin, health } = brokenStage();
    health.broken = false;
    const later = [await rig.client.enqueue(work, {}, { delay: 'P1D' }), await rig.client.enqueue(work, {}, { delay: 'P2D' })];
    const jobs = due ? [...later, await rig.client.enqueue(work, {})] : later;
    const ids = jobs.map(({ id }) => id);
    for (const id of ids) await admin.breakpoint(id, { reason: 'look first' });
    await rig.clock.advance(1_000);
    return { rig, admin, ids };
  }

  it('is one that can run in its time, whatever lies before it', async () => {
    const { rig, admin, ids } = await stopped(true);
    const going = admin.bulk({ verb: 'resume' }, { state: 'suspended', id: ids }, { canary: true });
    await rig.settle();
    expect(await rig.rows('suspended')).toHaveLength(2);
    await rig.drain();
    const report = await rig.until(going, 500);
    expect(report).toMatchObject({ status: 'done', matched: 3, done: 3, canary: { id: ids[2], outcome: 'completed' } });
  });

  it.each([1, 2])('is impossible where none of %d can be one: nothing is resumed, and the report says so', async (limit) => {
    const { rig, admin, ids } = await stopped(false);
    const report = await admin.bulk({ verb: 'resume' }, { state: 'suspended', id: ids.slice(0, limit) }, { canary: true });
    expect(report).toMatchObject({ status: 'canary-failed', matched: 0, done: 0, canary: { outcome: 'not-due' } });
    expect(ids).toContain(report.canary?.id);
    expect(await rig.rows('suspended')).toHaveLength(2);
  });

  it('may be due as late as its time ends', async () => {
    const { rig, admin, ids } = await stopped(false);
    const stopper = new AbortController();
    const options = { canary: true, canaryWithin: 'P1D', signal: stopper.signal } as const;
    const going = admin.bulk({ verb: 'resume' }, { state: 'suspended', id: ids }, options);
    await rig.settle();
    expect(await admin.bulks()).toMatchObject([{ status: 'running', done: 1, canary: { id: ids[0], outcome: 'running' } }]);
    stopper.abort();
    expect(await going).toMatchObject({ status: 'stopped', done: 1 });
  });
});

describe('a canary of a redrive', () => {
  const redrive = { verb: 'redrive' } as const;

  it('may be due within its time, and not after it', async () => {
    const { rig, admin } = await deadLetters(2);
    const at = (ms: number) => ({ ...redrive, at: rig.clock.now() + ms });
    const canary = { canary: true, canaryWithin: 'PT1M' } as const;
    await expect(admin.bulk(at(60_001), { type: 'work' }, canary)).rejects.toThrow(/^canary: /);
    const going = admin.bulk(at(60_000), { type: 'work' }, canary);
    await rig.settle();
    expect(await rig.rows('deadLetters')).toHaveLength(2);
    expect(await rig.until(going, 1_000)).toMatchObject({ status: 'canary-failed', canary: { outcome: 'late' } });
  });

  it('that is never heard of again is late exactly at the end of its time', async () => {
    const { rig, admin } = await deadLetters(2);
    const begun = rig.clock.now();
    const going = admin.bulk(redrive, { type: 'work' }, { canary: true, canaryWithin: 'PT1.3S' });
    expect(await rig.until(going, 100)).toMatchObject({ status: 'canary-failed', canary: { outcome: 'late' } });
    expect(rig.clock.now() - begun).toBe(1_300);
  });

  it('is shown while it is watched', async () => {
    const { rig, admin, health } = await deadLetters(2);
    health.broken = true;
    const going = admin.bulk(redrive, { type: 'work' }, { canary: true });
    await rig.settle();
    expect(await admin.bulks()).toMatchObject([{ status: 'running', matched: 1, done: 1, canary: { outcome: 'running' } }]);
    await rig.drain();
    expect(await rig.until(going)).toMatchObject({ status: 'canary-failed', canary: { outcome: 'dead' } });
  });

  it('whose row cannot be read any more ends it', async () => {
    const { rig, admin } = await deadLetters(2);
    const going = admin.bulk(redrive, { type: 'work' }, { canary: true });
    await rig.settle();
    const [row] = await rig.rows('jobs');
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(String(row?.['id'])), set: { dueAt: 'soon' } });
    expect(await rig.until(going, 500)).toMatchObject({ status: 'canary-failed', done: 1, canary: { outcome: 'unreadable' } });
  });

  it('that completed is known as such, although the next read fails', async () => {
    const { rig, admin } = await deadLetters(2);
    const faults = faultyTables(rig.tables);
    const going = createAdminOver({ ...rig.deps, tables: faults.tables }).bulk(redrive, { type: 'work' }, { canary: true });
    await rig.settle();
    await rig.drain();
    faults.unreadable((read) => read.op === 'query' && read.table === 'deadLetters' && read.index !== undefined);
    await expect(rig.until(going, 500)).rejects.toThrow('did not answer');
    expect(await admin.bulks()).toMatchObject([{ status: 'running', done: 1, canary: { outcome: 'completed' } }]);
  });

  it('comes before jobs that match only once it was looked for', async () => {
    const { rig } = brokenStage();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 8 }, () => ({})),
    );
    let died: Promise<void> | undefined;
    const tables: Rig['tables'] = {
      ...faultyTables(rig.tables).tables,
      async query(given) {
        const page = await rig.tables.query(given);
        if (given.table === 'deadLetters') await (died ??= rig.drain());
        return page;
      },
    };
    const going = createAdminOver({ ...rig.deps, tables }).bulk(redrive, { type: 'work' }, { canary: true });
    expect(await rig.until(going, 60_000)).toMatchObject({ status: 'done', done: 0 });
    expect(await rig.rows('deadLetters')).toHaveLength(8);
  });

  it('is not needed where nothing matches', async () => {
    const { admin } = await deadLetters(1);
    expect(await admin.bulk(redrive, { type: 'nothing' }, { canary: true })).toMatchObject({ status: 'done', matched: 0, complete: true });
  });
});

describe('a dry run with a canary', () => {
  it('reads as much as one without', async () => {
    const { rig } = await deadLetters(60);
    let requests = 0;
    const tables = { ...rig.tables, query: async (given: Parameters<Rig['tables']['query']>[0]) => (requests++, rig.tables.query(given)) };
    const admin = createAdminOver({ ...rig.deps, tables });
    const read = async (canary: boolean) => {
      requests = 0;
      const { matched, readUnits } = await admin.bulk({ verb: 'redrive' }, { type: 'work' }, { dryRun: true, canary });
      return { matched, readUnits, requests };
    };
    const without = await read(false);
    expect(without.matched).toBe(60);
    expect(await read(true)).toEqual(without);
  });
});
