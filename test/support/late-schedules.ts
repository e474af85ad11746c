import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { anyPayload, Rig } from './rig.ts';

const MINUTE = 60_000;
const report = defineJob('report', { payload: anyPayload });

/** Schedules of 2 o'clock; the timers of the last ones by name are lost, and the acquirer does not run: it is two minutes before. */
export async function lateSchedules(count: number, losing: number): Promise<{ readonly rig: Rig; readonly lost: readonly string[] }> {
  const rig = new Rig();
  const { schedules } = createAdminOver(rig.deps);
  const names = Array.from({ length: count }, (_, n) => `report-${String(n).padStart(4, '0')}`);
  for (const name of names) await schedules.put(defineSchedule(name, { job: report, payload: {}, cron: '0 2 * * *' }));
  const lost = names.slice(-losing);
  for (const { shard, due, schedule } of await rig.rows('timers'))
    if (lost.includes(String(schedule)))
      await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(shard), due: String(due) } });
  await rig.clock.advance(118 * MINUTE);
  return { rig, lost };
}

/** Which of them have no timer yet. */
export async function unmended(rig: Rig, lost: readonly string[]): Promise<readonly string[]> {
  const there = new Set((await rig.rows('timers')).map(({ schedule }) => String(schedule)));
  return lost.filter((name) => !there.has(name));
}
