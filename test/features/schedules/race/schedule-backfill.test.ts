import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import type { Tables, Write } from '../../../../shared/ports/tables.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Others act after everything was read, and before the first transaction that creates a job. */
function beforeTheFirstJob(tables: Tables, act: () => Promise<unknown>): Tables {
  let acted: Promise<unknown> | undefined;
  const creates = (write: Write): boolean => write.op === 'put' && write.table === 'jobs';
  return {
    ...tables,
    transact: async (writes, token, terms) => {
      if (writes.some(creates)) await (acted ??= act());
      return tables.transact(writes, token, terms);
    },
  };
}

const range = (rig: ScheduledRig) => ({ from: '2026-02-28T22:00:00Z', to: new Date(rig.clock.now()), apply: true });
const over = (rig: ScheduledRig, tables: Tables) => createAdminOver({ ...rig.deps, tables }).schedules;

async function hourly(missed: 'all' | 'coalesce' = 'all'): Promise<ScheduledRig> {
  const rig = scheduled();
  await rig.admin.schedules.put(schedule({ cron: '0 * * * *', missed }));
  return rig;
}

describe('a backfill', () => {
  it('that another one overtakes enqueues nothing twice, whether the other jobs have run by then or not', async () => {
    for (const runs of [false, true]) {
      const rig = await hourly();
      const reports: unknown[] = [];
      const other = async (): Promise<void> => {
        reports.push(await rig.admin.schedules.backfill('nightly', range(rig)));
        if (runs) await rig.drain();
      };
      reports.push(await over(rig, beforeTheFirstJob(rig.tables, other)).backfill('nightly', range(rig)));
      await rig.drain();
      expect(reports).toMatchObject([
        { enqueued: 3, known: 0 },
        { enqueued: 0, known: 3 },
      ]);
      expect(rig.ran.toSorted()).toEqual(['2026-02-28T22:00:00', '2026-02-28T23:00:00', '2026-03-01T00:00:00']);
    }
  });

  it('beside another one shares the range with it', async () => {
    const rig = await hourly();
    const both = await Promise.all([1, 2].map(async () => rig.admin.schedules.backfill('nightly', range(rig))));
    expect(both.map((report) => report?.count)).toEqual([3, 3]);
    expect((both[0]?.enqueued ?? 0) + (both[1]?.enqueued ?? 0)).toBe(3);
    await rig.drain();
    expect(rig.ran).toHaveLength(3);
  });

  it.each(['all', 'coalesce'] as const)('beside the acquirer, which is late, runs no occurrence twice (missed: %s)', async (missed) => {
    const rig = await hourly(missed);
    await rig.clock.advance(3 * HOUR);
    const acquirer = async (): Promise<void> => {
      for (let tick = 0; tick < 5; tick++) await rig.tick();
      await rig.drain();
    };
    const report = await over(rig, beforeTheFirstJob(rig.tables, acquirer)).backfill('nightly', range(rig));
    expect(report).toMatchObject({ count: 3, enqueued: 3, undecided: new Date('2026-03-01T01:00:00Z') });
    await rig.drain();
    await rig.pass(10 * MINUTE);
    expect(new Set(rig.ran).size).toBe(rig.ran.length);
    expect(rig.ran).toHaveLength(missed === 'all' ? 6 : 4);
    // What was left out is brought back afterwards.
    const rest = await rig.admin.schedules.backfill('nightly', range(rig));
    expect(rest).toMatchObject({ count: 6, enqueued: missed === 'all' ? 0 : 2 });
    await rig.drain();
    expect(new Set(rig.ran).size).toBe(6);
  });

  it('whose schedule is paused, resumed or deleted meanwhile runs its occurrences all the same', async () => {
    for (const act of ['pause', 'delete'] as const) {
      const rig = await hourly();
      const report = await over(
        rig,
        beforeTheFirstJob(rig.tables, async () => rig.admin.schedules[act]('nightly')),
      ).backfill('nightly', range(rig));
      expect(report).toMatchObject({ enqueued: 3 });
      await rig.drain();
      expect(rig.ran).toHaveLength(3);
      if (act === 'pause') await rig.admin.schedules.resume('nightly');
      await rig.pass(2 * HOUR + 20 * MINUTE, 10 * MINUTE);
      expect(rig.ran).toHaveLength(act === 'pause' ? 5 : 3);
    }
  });

  it('whose schedule gets other times meanwhile keeps the ones that it had read', async () => {
    const rig = await hourly();
    const half = async () => rig.admin.schedules.put(schedule({ cron: '30 * * * *', missed: 'all' }));
    await over(rig, beforeTheFirstJob(rig.tables, half)).backfill('nightly', range(rig));
    await rig.drain();
    await rig.pass(HOUR, 10 * MINUTE);
    expect(rig.ran.toSorted()).toEqual(['2026-02-28T22:00:00', '2026-02-28T23:00:00', '2026-03-01T00:00:00', '2026-03-01T00:30:00']);
  });
});
