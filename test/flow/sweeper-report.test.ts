import { describe, expect, it } from 'vitest';
import { iso } from '../../shared/job/instant.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { sweepCursorKey } from '../../shared/store/control-rows.ts';
import { idKey } from '../../shared/store/rows.ts';
import { faultyRig, loseMessages } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload });

/** Jobs that were enqueued and whose messages were lost. */
async function lose(rig: Rig, count: number, payload: Record<string, unknown> = {}): Promise<void> {
  await rig.client.enqueueMany(
    work,
    Array.from({ length: count }, () => payload),
  );
  loseMessages(rig);
}

describe('a run of the sweeper', () => {
  it('tells how many jobs wait in all segments together', async () => {
    const rig = new Rig();
    await lose(rig, 40);
    await rig.clock.advance(2 * MINUTE);
    await rig.sweep();
    expect(rig.journal.gauges).toContainEqual({ name: 'overdue-ready', value: 40 });
  });

  it('shares its read units among the segments', async () => {
    const rig = new Rig({ settings: { sweepSegments: 4, sweepReadUnits: 10, sweepPageSize: 5 } });
    await lose(rig, 200, { text: 'x'.repeat(4_000) });
    await rig.clock.advance(HOUR);
    expect((await rig.sweep()).readUnits).toBeLessThan(20);
  });

  it('counts what a pass saw over all runs that it took', async () => {
    const rig = new Rig({ settings: { sweepSegments: 1, sweepReadUnits: 10, sweepPageSize: 20 } });
    await lose(rig, 100, { text: 'x'.repeat(4_000) });
    await rig.clock.advance(2 * MINUTE);
    await lose(rig, 10);
    let [seen, runs] = [(await rig.sweep()).seen, 1];
    for (; seen === undefined && runs < 50; runs++) ({ seen } = await rig.sweep());
    expect(runs).toBeGreaterThan(3);
    expect(seen).toMatchObject({ jobs: 110, overdue: 100 });
  });

  it.each([0, 1])('tells the longest wait of all, wherever it lies (%i)', async (last) => {
    const rig = new Rig({ settings: { sweepSegments: 1 } });
    const minutes = last === 0 ? [30, 2] : [2, 30];
    // By the order of the scan, which is that of their ids here.
    const ids = [rig.client.newId(), rig.client.newId()].toSorted((a, b) => (a < b ? -1 : 1));
    for (const [n, id] of ids.entries()) {
      await rig.client.enqueue(work, {}, { id });
      const dueAt = iso(rig.clock.now() - (minutes[n] ?? 0) * MINUTE);
      await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { dueAt } });
    }
    expect((await rig.sweep()).seen).toMatchObject({ oldestWaitMs: 30 * MINUTE });
  });

  it.each([0, 1])('tells the longest wait of a pass, in whichever of its runs (%i) it was seen', async (run) => {
    const rig = new Rig({ settings: { sweepSegments: 1, sweepReadUnits: 10 } });
    const pages = [30, 2].map((minutes) => iso(rig.clock.now() - minutes * MINUTE));
    await rig.client.enqueue(work, {});
    const [row] = await rig.rows('jobs');
    rig.tables.scan = async ({ after }) => {
      const page = after === undefined ? 0 : 1;
      const dueAt = pages[run === 0 ? page : 1 - page] ?? '';
      return { rows: [{ ...row, dueAt }], readUnits: 10, ...(page === 0 ? { cursor: idKey('a') } : {}) };
    };
    expect((await rig.sweep()).seen).toBeUndefined();
    expect((await rig.sweep()).seen).toMatchObject({ oldestWaitMs: 30 * MINUTE });
  });

  it('counts the jobs of a page once that time cut off and the next run reads again', async () => {
    const rig = new Rig({ settings: { sweepSegments: 1, sweepPageSize: 5, sweepParallelWrites: 1 } });
    await lose(rig, 10);
    await rig.clock.advance(HOUR);
    const write = rig.tables.write.bind(rig.tables);
    let resets = 0;
    rig.tables.write = async (...args) => {
      if (args[0].table === 'jobs' && ++resets === 7) await rig.clock.advance(10 * MINUTE);
      return write(...args);
    };
    expect(await rig.sweep()).toMatchObject({ counts: { reset: 7 }, passedSegments: 0 });
    expect((await rig.sweep()).seen).toMatchObject({ jobs: 10, overdue: 10 });
  });

  it('takes no ages of an earlier pass for those of the last one, and pays one write for that', async () => {
    const rig = new Rig({ settings: { sweepSegments: 1, sweepReadUnits: 10 } });
    await rig.client.enqueue(work, {});
    const [row] = await rig.rows('jobs');
    const rows = [{ ...row, dueAt: iso(rig.clock.now() - HOUR) }];
    const inRuns = (count: number, waiting: typeof rows): void => {
      rig.tables.scan = async ({ table, after }) => {
        if (table !== 'jobs') return { rows: [], readUnits: 0 };
        return { rows: waiting, readUnits: 10, ...(after === undefined && count > 1 ? { cursor: idKey('a') } : {}) };
      };
    };
    const cursors: unknown[] = [];
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (...args) => {
      if (args[0].op === 'put' && args[0].row['pk'] === sweepCursorKey(0, 1)['pk']) cursors.push(args[0].row);
      return write(...args);
    };
    inRuns(2, rows);
    for (let run = 0; run < 2; run++) await rig.sweep();
    inRuns(1, []);
    cursors.length = 0;
    for (let run = 0; run < 3; run++) await rig.sweep();
    expect(cursors).toHaveLength(1);
    inRuns(2, []);
    rig.journal.gauges.length = 0;
    await rig.sweep();
    expect(rig.journal.gauges).toContainEqual({ name: 'oldest-ready-age', value: 0 });
    expect(rig.journal.gauges).toContainEqual({ name: 'overdue-ready', value: 0 });
  });

  it.each([
    { sweepParallelWrites: 8, sweepSegments: 2, atOnce: 4 },
    { sweepParallelWrites: 2, sweepSegments: 4, atOnce: 1 },
  ])(
    'makes as many writes at once as it may ($sweepParallelWrites in $sweepSegments segments), at least one in each segment',
    async (given) => {
      const { atOnce, ...settings } = given;
      const rig = new Rig({ settings });
      await lose(rig, 10);
      await rig.clock.advance(HOUR);
      const rows = await rig.rows('jobs');
      const scan = rig.tables.scan.bind(rig.tables);
      rig.tables.scan = async (asked) => ({ ...(await scan(asked)), rows: asked.segment === 0 ? rows : [] });
      let [underWay, most] = [0, 0];
      const write = rig.tables.write.bind(rig.tables);
      rig.tables.write = async (...args) => {
        most = Math.max(most, ++underWay);
        const outcome = await write(...args);
        underWay--;
        return outcome;
      };
      expect((await rig.sweep()).counts).toEqual({ reset: 10 });
      expect(most).toBe(atOnce);
    },
  );

  it('goes on in each segment where the one before ended there', async () => {
    const rig = new Rig({ settings: { sweepSegments: 4, sweepReadUnits: 10, sweepPageSize: 5 } });
    await lose(rig, 100, { text: 'x'.repeat(4_000) });
    await rig.clock.advance(HOUR);
    let reset = 0;
    for (let run = 0; run < 20; run++) {
      const { counts } = await rig.sweep();
      reset += counts.reset ?? 0;
      loseMessages(rig);
    }
    expect(reset).toBe(100);
  });

  it('settles the others when the store does not take one, and journals that', async () => {
    const rig = faultyRig();
    await lose(rig, 10);
    await rig.clock.advance(HOUR);
    rig.faults.next(aimAt('update', 'jobs'), 'unavailable');
    expect((await rig.sweep()).counts).toEqual({ reset: 9, failed: 1 });
    expect(rig.journal.count('store-failed')).toBe(1);
  });

  it('counts a row that cannot be read as quarantined only if it quarantined it', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { priority: 'high' } });
    await rig.clock.advance(HOUR);
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => {
      await rig.tables.write({ op: 'delete', table: 'jobs', key: idKey(id) });
      return transact(...args);
    };
    expect((await rig.sweep()).counts).toEqual({ lost: 1 });
  });
});
