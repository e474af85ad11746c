import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../shared/admin/admin.ts';
import { defineJob } from '../../shared/core/job-type.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';
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
    ['at once where the type is known', true, 2_000],
    ['after half a minute where it is not', false, 40_000],
  ])('is known to have completed by its absence: %s', async (_when, known, withinMs) => {
    const rig = await untoldDeadLetters();
    const admin = createAdminOver({ ...rig.parts, ...(known ? { jobTypes: new Map([[untold.name, untold]]) } : {}) });
    const begun = rig.clock.now();
    const going = admin.bulk({ verb: 'redrive' }, { type: 'untold' }, { canary: true });
    await rig.settle();
    await rig.drain();
    expect(await rig.until(going, 500)).toMatchObject({ status: 'done', done: 3, canary: { outcome: 'completed' } });
    expect(rig.clock.now() - begun).toBeLessThanOrEqual(withinMs);
  });
});

describe('a canary of an activation', () => {
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
    const going = admin.bulk({ verb: 'activate' }, { state: 'suspended', id: ids }, { canary: true });
    await rig.settle();
    expect(await rig.rows('suspended')).toHaveLength(2);
    await rig.drain();
    const report = await rig.until(going, 500);
    expect(report).toMatchObject({ status: 'done', matched: 3, done: 3, canary: { id: ids[2], outcome: 'completed' } });
  });

  it('is not to be had where none can: nothing is let go, and that is said', async () => {
    const { rig, admin, ids } = await stopped(false);
    const report = await admin.bulk({ verb: 'activate' }, { state: 'suspended', type: 'work' }, { canary: true });
    expect(report).toMatchObject({ status: 'canary-failed', matched: 0, done: 0, canary: { outcome: 'not-due' } });
    expect(ids).toContain(report.canary?.id);
    expect(await rig.rows('suspended')).toHaveLength(2);
  });
});

describe('a dry run with a canary', () => {
  it('reads as much as one without', async () => {
    const { rig } = await deadLetters(60);
    let requests = 0;
    const tables = { ...rig.tables, query: async (given: Parameters<Rig['tables']['query']>[0]) => (requests++, rig.tables.query(given)) };
    const admin = createAdminOver({ ...rig.parts, tables });
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
