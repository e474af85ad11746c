import { expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { UNFENCED_WRITE_WINDOW_MS } from '../../../../shared/job/lease.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { isScheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const report = defineJob('report', { payload: anyPayload });

it('a put of a schedule whose operator was frozen after it was applied brings back none of the occurrences that passed since', async () => {
  const rig = new Rig({ handlers: [report.handle(() => undefined)] });
  const begun = rig.clock.now();
  const definition = defineSchedule('every', { job: report, payload: {}, every: 'PT1M', until: begun + 10 * MINUTE + 1 });
  await createAdminOver(rig.deps).schedules.put(definition);
  await rig.clock.advance(30 * MINUTE);
  await rig.fire();
  const { schedules } = createAdminOver(rig.deps);
  const ended = await schedules.get('every');
  expect(ended).toMatchObject({ runs: 1, missed: 9 });
  expect(ended).not.toHaveProperty('next');
  const frozen = { now: () => begun, wait: async (ms: number) => rig.clock.wait(ms) };
  await createAdminOver({ ...rig.deps, clock: frozen }).schedules.put(definition);
  expect(await schedules.get('every')).toEqual(ended);
  expect(await rig.counts()).toMatchObject({ timers: 0, jobs: 1 });
});

it('a first put of a schedule makes no attempt so late that a delete may have come between, and a later one is fenced by what it saw', async () => {
  const rig = new Rig({ handlers: [report.handle(() => undefined)] });
  const windows: (number | undefined)[] = [];
  const watched: Tables = {
    ...rig.tables,
    transact: async (writes, token, terms) => {
      if (writes.some((write) => write.op === 'put' && isScheduleRow(write.row))) windows.push(terms?.notAfter);
      return rig.tables.transact(writes, token, terms);
    },
  };
  const { schedules } = createAdminOver({ ...rig.deps, tables: watched });
  const begun = rig.clock.now();
  await schedules.put(defineSchedule('every', { job: report, payload: {}, every: 'PT1M' }));
  await schedules.put(defineSchedule('every', { job: report, payload: {}, every: 'PT2M' }));
  expect(windows).toEqual([begun + UNFENCED_WRITE_WINDOW_MS, undefined]);
});
