import { describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { BulkAction } from '../../operate/bulk/bulk-verbs.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import type { Write } from '../../shared/ports/tables.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';
import { faultyTables } from '../support/faulty-tables.ts';
import { WAIT } from '../support/patience.ts';
import { severedTables } from '../support/severed-tables.ts';

const redrive: BulkAction = { verb: 'redrive' };

/** The n-th time that a bulk action is written down, its begin included. */
function saveNumber(n: number): (writes: readonly Write[]) => boolean {
  let saves = 0;
  return (writes) => writes.some((one) => one.op === 'put' && one.row['pk'] === 'bulk') && ++saves === n;
}

describe('a bulk action that is resumed after a write of its own failed', () => {
  it.each([2, 3, 4])('takes no more jobs than its limit, and reports what it did (write %i)', async (number) => {
    const { rig } = await deadLetters(100);
    const faults = faultyTables(rig.tables);
    const admin = createAdminOver({ ...rig.deps, tables: faults.tables });
    faults.next(saveNumber(number), 'unavailable', 1);
    let id = '';
    const limited = admin.bulk(redrive, { type: 'work' }, { limit: 70, onBegin: (begun) => (id = begun) });
    await expect(limited).rejects.toThrow(StoreUnavailableError);
    expect(faults.pending()).toBe(0);
    expect(await admin.resumeBulk(id)).toMatchObject({ status: 'done', matched: 70, done: 70, leftAlone: {}, failed: 0 });
    expect(await rig.rows('deadLetters')).toHaveLength(101 - 70);
  });

  it.each(['cancel', 'run-now', 'suspend', 'set-priority', 'set-due-date', 'set-retries', 'change-tenant'] as const)(
    'counts each job once as done that it may have acted on already: %s',
    async (verb) => {
      const { rig } = brokenStage();
      await rig.client.enqueueMany(
        work,
        Array.from({ length: 70 }, () => ({})),
        { delay: 'P1D', tenant: 'a' },
      );
      await rig.clock.advance(1_000);
      const faults = faultyTables(rig.tables);
      const admin = createAdminOver({ ...rig.deps, tables: faults.tables });
      faults.next(saveNumber(3), 'unavailable', 1);
      let id = '';
      const terms = { retries: 5, priority: 7, delay: 'PT1H', tenant: 'b' };
      const { fields } = FIELDS[verb];
      const action = { verb, ...Object.fromEntries(Object.entries(terms).filter(([name]) => fields.includes(name))) } as BulkAction;
      await expect(admin.bulk(action, { tenant: 'a' }, { limit: 60, onBegin: (begun) => (id = begun) })).rejects.toThrow(
        StoreUnavailableError,
      );
      await rig.drain();
      expect(await admin.resumeBulk(id)).toMatchObject({ status: 'done', matched: 60, done: 60, leftAlone: {}, failed: 0 });
    },
  );
});

describe('a bulk action that redrives dead letters and is resumed after a write of its own failed', () => {
  it.each([
    [{ verb: 'set-retries', retries: 5 }, { state: 'dead' }],
    [{ verb: 'set-due-date', delay: 'PT1H' }, { state: 'dead' }],
    [{ verb: 'set-due-date', delay: 'P2D' }, { state: 'dead' }],
    [{ verb: 'set-retries', retries: 5 }, { state: ['dead', 'suspended'] }],
  ] as const)('counts each of them once as done: %j, %j', async (action, state) => {
    const { rig } = await deadLetters(60);
    const faults = faultyTables(rig.tables);
    const admin = createAdminOver({ ...rig.deps, tables: faults.tables });
    faults.next(saveNumber(3), 'unavailable', 1);
    let id = '';
    const going = admin.bulk(action, { type: 'work', ...state }, { limit: 60, onBegin: (begun) => (id = begun) });
    await expect(going).rejects.toThrow(StoreUnavailableError);
    expect(await admin.resumeBulk(id)).toMatchObject({ status: 'done', matched: 60, done: 60, leftAlone: {}, failed: 0 });
  });
});

const FIELDS = {
  cancel: { fields: [] as string[] },
  'run-now': { fields: [] as string[] },
  suspend: { fields: [] as string[] },
  'set-priority': { fields: ['priority'] },
  'set-due-date': { fields: ['delay'] },
  'set-retries': { fields: ['retries'] },
  'change-tenant': { fields: ['tenant'] },
};

describe('a bulk action whose process was killed', () => {
  it('at whatever call takes no more jobs than its limit when it is resumed, and its report and audit say what it did', async () => {
    for (const call of [2, 5, 9, 21, 40, 62]) {
      const { rig, admin } = await deadLetters(40);
      const severed = severedTables(rig.tables);
      severed.dieAt(call);
      void createAdminOver({ ...rig.deps, tables: severed.tables }).bulk({ verb: 'delete' }, { type: 'work' }, { limit: 20 });
      for (let turn = 0; turn < 200 && !severed.dead; turn++) await rig.settle();
      await rig.clock.advance(61_000);
      const [seen] = await admin.bulks();
      expect(seen?.matched).toBeLessThanOrEqual(20);
      expect(await admin.resumeBulk(seen?.id ?? '')).toMatchObject({ status: 'done', matched: 20, done: 20, leftAlone: {} });
      expect({ call, left: (await rig.rows('deadLetters')).length }).toEqual({ call, left: 21 });
      expect((await admin.audit()).map(({ detail }) => detail)).toContain(`${seen?.id}: done, 20 of 20 done`);
    }
  });

  it('right after its canary was sent watches that one when it is resumed, and sends no other', async () => {
    const { rig, admin, ran, health } = await deadLetters(12);
    health.broken = true;
    const severed = severedTables(rig.tables);
    const doomed = createAdminOver({ ...rig.deps, tables: severed.tables });
    void doomed.bulk(redrive, { type: 'work' }, { canary: true });
    await vi.waitUntil(async () => (await rig.rows('jobs')).length > 0, WAIT);
    severed.die();
    await rig.settle();
    expect(await rig.rows('jobs')).toHaveLength(1);
    await rig.clock.advance(61_000);
    await rig.drain();
    expect(ran).toHaveLength(1);
    const [seen] = await admin.bulks();
    const report = await rig.until(admin.resumeBulk(seen?.id ?? ''), 1_000);
    expect(report).toMatchObject({ status: 'canary-failed', matched: 1, done: 1, canary: { id: ran[0], outcome: 'dead' } });
    expect(ran).toHaveLength(1);
    expect(await rig.rows('deadLetters')).toHaveLength(13);
  });
});

describe('a bulk action at a slow rate', () => {
  it('stops at once when it is told to, in the middle of a step too, and what it did not reach is its begin when it is resumed', async () => {
    const { rig, admin } = await deadLetters(30);
    const stopper = new AbortController();
    const going = admin.bulk(redrive, { type: 'work' }, { ratePerSecond: 2, signal: stopper.signal });
    for (let second = 0; second < 3; second++) {
      await rig.settle();
      await rig.clock.advance(1_000);
    }
    await rig.settle();
    stopper.abort();
    const stopped = await going;
    const reached = 31 - (await rig.rows('deadLetters')).length;
    expect(stopped).toMatchObject({ status: 'stopped', matched: reached, done: reached });
    expect(reached).toBeLessThan(10);
    expect((await admin.audit()).map(({ detail }) => detail)).toContain(`${stopped.id}: stopped, ${reached} of ${reached} done`);
    const resumed = admin.resumeBulk(stopped.id ?? '', { ratePerSecond: 1_000 });
    expect(await rig.until(resumed, 100)).toMatchObject({ status: 'done', matched: 30, done: 30, leftAlone: {} });
  });

  it('of minutes a job stops without waiting for its next one', async () => {
    const { rig, admin } = await deadLetters(3);
    const stopper = new AbortController();
    const going = admin.bulk(redrive, { type: 'work' }, { ratePerSecond: 0.01, signal: stopper.signal });
    await rig.settle();
    await rig.clock.advance(1_000);
    const before = rig.clock.now();
    stopper.abort();
    expect(await going).toMatchObject({ status: 'stopped', matched: 1, done: 1 });
    expect(rig.clock.now()).toBe(before);
  });
});
