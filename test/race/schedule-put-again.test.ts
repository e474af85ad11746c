import { expect, it } from 'vitest';
import { createAdminOver } from '../../shared/admin/admin.ts';
import { defineJob } from '../../shared/core/job-type.ts';
import { defineSchedule } from '../../shared/core/schedule/definition.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const report = defineJob('report', { payload: anyPayload });

it('a put of a schedule whose operator was frozen after it was applied brings back none of the occurrences that passed since', async () => {
  const rig = new Rig({ handlers: [report.handle(() => undefined)] });
  const begun = rig.clock.now();
  const definition = defineSchedule('every', { job: report, payload: {}, every: 'PT1M', until: begun + 10 * MINUTE + 1 });
  await createAdminOver(rig.parts).schedules.put(definition);
  await rig.clock.advance(30 * MINUTE);
  await rig.fire();
  const { schedules } = createAdminOver(rig.parts);
  const ended = await schedules.get('every');
  expect(ended).toMatchObject({ runs: 1, missed: 9 });
  expect(ended).not.toHaveProperty('next');
  const frozen = { now: () => begun, wait: async (ms: number) => rig.clock.wait(ms) };
  await createAdminOver({ ...rig.parts, clock: frozen }).schedules.put(definition);
  expect(await schedules.get('every')).toEqual(ended);
  expect(await rig.counts()).toMatchObject({ timers: 0, jobs: 1 });
});
