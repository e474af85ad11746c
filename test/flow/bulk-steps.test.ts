import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { BulkAction } from '../../operate/bulk/bulk-verbs.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { brokenStage, deadLetters, work } from '../support/dead-letters.ts';
import { faultyTables } from '../support/faulty-tables.ts';
import type { Rig } from '../support/rig.ts';

const cancel: BulkAction = { verb: 'cancel' };
const redrive: BulkAction = { verb: 'redrive' };
const ofWork = { type: 'work' };

/** So many jobs that wait for tomorrow. */
async function waiting(count: number) {
  const { rig, admin } = brokenStage();
  await rig.client.enqueueMany(
    work,
    Array.from({ length: count }, () => ({})),
    { delay: 'P1D' },
  );
  await rig.clock.advance(1_000);
  return { rig, admin };
}

const rowsOf = async (rig: Rig, isOf: (partition: string) => boolean): Promise<readonly Row[]> =>
  (await rig.rows('control')).filter(({ pk }) => isOf(String(pk)));
/** How many jobs each step was to act on. */
const stepsOf = async (rig: Rig): Promise<readonly number[]> =>
  (await rowsOf(rig, (pk) => pk.startsWith('bulk#'))).map(({ ids }) => String(ids).split(' ').length);
/** How often the only bulk action was written down. */
const writesOf = async (rig: Rig): Promise<number> => Number((await rowsOf(rig, (pk) => pk === 'bulk'))[0]?.['steps']);

describe('a step of a bulk action', () => {
  it.each([
    ['has fifty jobs at most, also at a high rate', 51, 1_000, [50, 1]],
    ['has as many as a slow rate takes in five seconds', 5, 0.8, [4, 1]],
    ['has one job at the slowest rates', 2, 0.1, [1, 1]],
  ])('%s', async (_what, count, ratePerSecond, steps) => {
    const { rig, admin } = await waiting(count);
    expect(await rig.until(admin.bulk(cancel, ofWork, { ratePerSecond }), 500)).toMatchObject({ status: 'done', done: count });
    expect((await stepsOf(rig)).toSorted((a, b) => b - a)).toEqual(steps);
  });

  it.each([
    [40, 16],
    [4, 4],
    [0.5, 1],
  ])('starts, at %d a second, %d jobs at once and the next when it is their turn', async (ratePerSecond, atOnce) => {
    const { rig, admin } = await waiting(17);
    const going = admin.bulk(cancel, ofWork, { ratePerSecond });
    await rig.settle();
    expect(await rig.rows('timers')).toHaveLength(17 - atOnce);
    expect(await rig.until(going, 5_000)).toMatchObject({ done: 17 });
  });

  it('is no reason to read again what was read a moment ago', async () => {
    const { rig } = await waiting(3);
    let reads = 0;
    const count = <Answer>(answer: Answer): Answer => (reads++, answer);
    const tables: Rig['tables'] = {
      ...rig.tables,
      query: async (given) => count(rig.tables.query(given)),
      scan: async (given) => count(rig.tables.scan(given)),
    };
    const admin = createAdminOver({ ...rig.deps, tables });
    await admin.bulk(cancel, ofWork, { dryRun: true });
    const pass = reads;
    reads = 0;
    expect(await rig.until(admin.bulk(cancel, ofWork, { ratePerSecond: 0.2 }), 1_000)).toMatchObject({ done: 3 });
    // Its one pass that acts, and the one that finds nothing.
    expect(reads).toBe(2 * pass);
  });

  it('of a dry run is a page of a thousand', async () => {
    const { rig } = await waiting(0);
    const rows = Array.from({ length: 600 }, (_, n) => ({ id: String(n), lockOwner: 'queue/0/t', type: 'work' }));
    const scan: Rig['tables']['scan'] = async ({ after }) => ({
      rows: rows.map(({ id, ...row }) => ({ ...row, id: after === undefined ? id : `${id} too` })),
      readUnits: 1,
      ...(after === undefined ? { cursor: { id: '599' } } : {}),
    });
    const admin = createAdminOver({ ...rig.deps, tables: { ...rig.tables, scan } });
    const told: number[] = [];
    await admin.bulk(cancel, { state: 'ready' }, { dryRun: true, onProgress: ({ matched }) => void told.push(matched) });
    expect(told[0]).toBe(1_000);
  });

  it('writes nothing while it waits for less than fifteen seconds', async () => {
    const { rig, admin } = await waiting(5);
    await rig.until(admin.bulk(cancel, ofWork, { ratePerSecond: 1 }), 500);
    // Before its five jobs, and at the end.
    expect(await writesOf(rig)).toBe(2);
  });
});

describe('what a bulk action has done', () => {
  /** Five jobs of one step, of which a stop lets it reach the first. */
  async function stopped() {
    const { rig, admin } = await waiting(5);
    const stopper = new AbortController();
    const going = admin.bulk(cancel, ofWork, { ratePerSecond: 1, signal: stopper.signal });
    await rig.settle();
    stopper.abort();
    const { id = '', status, done } = await going;
    expect({ status, done }).toEqual({ status: 'stopped', done: 1 });
    const faults = faultyTables(rig.tables);
    return { rig, admin, id, faults, doomed: createAdminOver({ ...rig.deps, tables: faults.tables }) };
  }

  it('is recorded before it reads on, also when it is resumed in the middle of a step', async () => {
    const { rig, admin, id, faults, doomed } = await stopped();
    faults.unreadable((read) => read.op !== 'get' && read.table !== 'control');
    await expect(rig.until(doomed.resumeBulk(id, { ratePerSecond: 1_000 }), 10)).rejects.toThrow('did not answer');
    expect(await admin.bulkReport(id)).toMatchObject({ matched: 5, done: 5 });
  });

  it('counts as done when the process that did what a stop had left could not write it down', async () => {
    const { rig, admin, id, faults, doomed } = await stopped();
    faults.next((writes) => writes.some((one) => one.op === 'put' && String(one.row['state']).includes('"done":5')), 'unavailable');
    await expect(rig.until(doomed.resumeBulk(id, { ratePerSecond: 1_000 }), 10)).rejects.toThrow('did not answer');
    expect(await rig.rows('timers')).toEqual([]);
    expect(await rig.until(admin.resumeBulk(id), 10)).toMatchObject({ status: 'done', matched: 5, done: 5, leftAlone: {} });
  });

  it('is told at each step, that of the canary too', async () => {
    const { rig, admin } = await deadLetters(2);
    const told: number[] = [];
    const going = admin.bulk(redrive, ofWork, { canary: true, onProgress: ({ done }) => void told.push(done) });
    await rig.settle();
    expect(told).toEqual([1]);
    await rig.drain();
    await rig.until(going, 500);
    expect(told).toEqual([1, 2]);
  });

  it('is in the metrics step by step, not only at its end', async () => {
    const { rig } = await waiting(2);
    const flushed: number[] = [];
    const journal = { ...rig.journal, flush: () => void flushed.push(rig.journal.count('cancelled')) };
    const admin = createAdminOver({ ...rig.deps, journal });
    await rig.until(admin.bulk(cancel, ofWork, { ratePerSecond: 0.1 }), 1_000);
    expect(new Set(flushed)).toEqual(new Set([0, 1, 2]));
  });
});
