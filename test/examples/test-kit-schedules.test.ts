import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { BacklogFullError, defineJob, defineSchedule } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const makeReport = defineJob('report.make', { payload: z.object({ region: z.string() }), startWithin: 'PT6H', maxBacklog: 2 });
const everyNight = defineSchedule('report', { job: makeReport, payload: { region: 'north' }, cron: '0 2 * * *', zone: 'Europe/Berlin' });

test('a report is made each night at two, as the clocks in Berlin show it', async () => {
  const made: (Date | undefined)[] = [];
  const kit = createTestKit([makeReport.handle(({ job }) => void made.push(job.nominalAt))], { now: '2026-03-28T12:00:00Z' });
  await kit.admin.schedules.put(everyNight);
  await kit.advance('P2D');
  expect(made).toEqual([new Date('2026-03-29T01:00:00Z'), new Date('2026-03-30T00:00:00Z')]);
});

test('no report is taken while two wait', async () => {
  const kit = createTestKit([makeReport]);
  await kit.client.enqueueMany(makeReport, [{ region: 'north' }, { region: 'south' }]);
  // Without a handler they stay ready. After a minute the sweeper has counted them.
  await kit.advance('PT1M');
  await expect(kit.client.enqueue(makeReport, { region: 'east' })).rejects.toThrow(BacklogFullError);
  expect(kit.enqueued(makeReport)).toMatchObject([
    { payload: { region: 'north' }, startBy: new Date('2026-01-01T06:00:00Z') },
    { payload: { region: 'south' } },
  ]);
});
