import * as z from 'zod/mini';
import { createTestKit } from '../../testing/index.ts';
import { defineJob, defineSchedule } from '../../shared/index.ts';

/** Indexes what has changed since the last run, so one run that waits is enough for all. */
const updateIndex = defineJob('index.update', { payload: z.object({}), retry: 'R3/PT25M' });

/** Fetches prices. A newer fetch makes an earlier one useless, even one that is still tried again. */
const fetchPrices = defineJob('prices.fetch', { payload: z.object({}), retry: 'R3/PT25M' });

const cron = '*/10 * * * *';
const schedules = [
  defineSchedule('index', { job: updateIndex, payload: {}, cron, overlap: 'buffer-one' }),
  defineSchedule('prices', { job: fetchPrices, payload: {}, cron, overlap: 'cancel-other' }),
];

/** Runs both for half an hour. The run of 10:00 fails at first and is tried again at 10:25. */
export async function runOverlaps(): Promise<Readonly<Record<string, readonly string[]>>> {
  const minute = (at: Date | undefined): string => at?.toISOString().slice(11, 16) ?? 'never';
  const handlers = [updateIndex, fetchPrices].map((type) =>
    type.handle(({ job }) => {
      if (minute(job.nominalAt) === '10:00' && job.failures === 0) throw new Error('no answer');
    }),
  );
  const kit = createTestKit(handlers, { now: '2026-04-30T09:55:00Z' });
  for (const definition of schedules) await kit.admin.schedules.put(definition);
  await kit.advance('PT34M');

  const ends: Record<string, readonly string[]> = {};
  for (const { name } of schedules) {
    const { jobs } = await kit.admin.list({ state: 'finished', schedule: name, order: 'oldest-first' });
    ends[name] = jobs.map(({ nominalAt, outcome }) => `${minute(nominalAt)} ${outcome}`);
  }
  return ends;
}
