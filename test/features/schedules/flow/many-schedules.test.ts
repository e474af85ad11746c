import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import type { Query, Tables } from '../../../../shared/ports/tables.ts';
import { noteLeftOff, readScheduleNotes } from '../../../../shared/features/schedules/store/list-schedules.ts';
import { isScheduleRow, scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const report = defineJob('report', { payload: anyPayload });
const nameOf = (n: number): string => `report-${String(n).padStart(3, '0')}`;

/** Schedules that run each night at 2 o'clock. */
async function nightly(count: number): Promise<{ readonly rig: Rig; readonly names: readonly string[] }> {
  const rig = new Rig({ handlers: [report.handle(() => undefined)] });
  const { schedules } = createAdminOver(rig.deps);
  const names = Array.from({ length: count }, (_, n) => nameOf(n));
  for (const name of names) await schedules.put(defineSchedule(name, { job: report, payload: {}, cron: '0 2 * * *' }));
  return { rig, names };
}

async function loseTimers(rig: Rig): Promise<void> {
  for (const { shard, due } of await rig.rows('timers'))
    await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(shard), due: String(due) } });
}

const missing = async (rig: Rig, names: readonly string[]): Promise<readonly string[]> => {
  const there = new Set((await rig.rows('timers')).map(({ schedule }) => schedule));
  return names.filter((name) => !there.has(name));
};

describe('many schedules', () => {
  it('are spread, so that those of one second do not meet in one partition', async () => {
    const { rig } = await nightly(40);
    const spread = Map.groupBy((await rig.rows('control')).filter(isScheduleRow), ({ pk }) => pk);
    expect(spread.size).toBeGreaterThan(12);
    expect(Math.max(...[...spread.values()].map((rows) => rows.length))).toBeLessThan(12);
  });

  it('are listed by name, each once, on pages of any size', async () => {
    const { rig, names } = await nightly(24);
    const { schedules } = createAdminOver(rig.deps);
    for (const limit of [1, 7, 23, 24, 1_000]) {
      const seen: string[] = [];
      for (let after: string | undefined, pages = 0; pages < 60; pages++) {
        const page = await schedules.list({ limit, ...(after === undefined ? {} : { after }) });
        expect(page.schedules.length).toBeLessThanOrEqual(limit);
        // A page that is not the last is a full one.
        if (page.after !== undefined) expect(page.schedules.length).toBe(limit);
        seen.push(...page.schedules.map(({ name }) => name));
        after = page.after;
        if (after === undefined) break;
      }
      expect(seen).toEqual(names);
    }
  });

  it('go on in the middle of the alphabet, also behind a name that is gone', async () => {
    const { rig, names } = await nightly(20);
    const { schedules } = createAdminOver(rig.deps);
    await schedules.delete(nameOf(9));
    const { schedules: rest } = await schedules.list({ after: nameOf(9) });
    expect(rest.map(({ name }) => name)).toEqual(names.slice(10));
  });

  it('are all repaired by one run of the sweeper, wherever they lie', async () => {
    const { rig, names } = await nightly(40);
    await loseTimers(rig);
    await rig.clock.advance(2 * HOUR - MINUTE);
    await rig.sweep();
    expect(await missing(rig, names)).toEqual([]);
  });

  it('are all repaired by one run of the sweeper that goes on behind a name that is gone, and its place is forgotten', async () => {
    const { rig, names } = await nightly(40);
    await createAdminOver(rig.deps).schedules.delete(nameOf(17));
    const { pk: partition } = scheduleKey(nameOf(17));
    await noteLeftOff(rig.tables, { partition: String(partition), name: nameOf(17) });
    await loseTimers(rig);
    await rig.clock.advance(2 * HOUR - MINUTE);
    await rig.sweep();
    expect(await missing(rig, names)).toEqual([nameOf(17)]);
    expect(await readScheduleNotes(rig.tables)).toEqual({ partitions: expect.any(Array) });
  });
});

it('a sweeper looks only at partitions in which there ever was a schedule: without any at none', async () => {
  const looked = async (rig: Rig): Promise<readonly string[]> => {
    const asked: string[] = [];
    const query: Tables['query'] = async (one: Query) => {
      if (one.partition.startsWith('schedule')) asked.push(one.partition);
      return rig.deps.tables.query(one);
    };
    const own = new Rig({ tables: { ...rig.deps.tables, query }, clock: rig.clock });
    await own.sweep();
    return asked;
  };
  const without = new Rig();
  expect(await looked(without)).toEqual(['schedules']);
  const { rig } = await nightly(1);
  expect(await looked(rig)).toEqual(['schedules', expect.stringMatching(/^schedule#[0-9a-f]$/)]);
});
