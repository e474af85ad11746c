import { expect, it } from 'vitest';
import { createAdminOver } from '../../../shared/admin/admin.ts';
import { defineJob } from '../../../shared/core/job-type.ts';
import { defineSchedule } from '../../../shared/core/schedule/definition.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const MINUTE = 60_000;
const report = defineJob('report', { payload: anyPayload });

it('schedules are mended by turns while an acquirer that is behind leaves the sweeper more to look at than a run may', async () => {
  const rig = new Rig();
  const { schedules } = createAdminOver(rig.parts);
  const names = Array.from({ length: 280 }, (_, n) => `report-${n}`);
  for (const name of names) await schedules.put(defineSchedule(name, { job: report, payload: {}, cron: '0 2 * * *' }));
  // Wherever a walk begins, some of these are the last ones of it.
  const lost = new Set(names.filter((_, n) => n % 10 === 0));
  for (const { shard, due, schedule } of await rig.rows('timers'))
    if (lost.has(String(schedule)))
      await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(shard), due: String(due) } });
  await rig.clock.advance(119 * MINUTE);
  for (let run = 0; run < 16; run++) {
    await rig.sweep();
    await rig.clock.advance(MINUTE);
  }
  const there = new Set((await rig.rows('timers')).map(({ schedule }) => String(schedule)));
  expect([...lost].filter((name) => !there.has(name))).toEqual([]);
});
