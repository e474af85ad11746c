import * as z from 'zod/mini';
import { defineJob, defineSchedule } from '../../shared/index.ts';

/** Sums up a day of a shop. */
export const dailyReport = defineJob('report.daily', { payload: z.object({ shop: z.string() }) });

/** Fetches exchange rates; a run that takes long must not meet the next one. */
export const fetchRates = defineJob('rates.fetch', { payload: z.object({}) });

/** Half past two, every night, as the clocks in Berlin show it: half past three in the night that has no half past two. */
export const everyNight = defineSchedule('daily-report', {
  job: dailyReport,
  payload: { shop: 'berlin' },
  cron: '30 2 * * *',
  zone: 'Europe/Berlin',
});

/** Every twenty minutes, never two at once; runs missed in an outage are not made up for. */
export const everyTwentyMinutes = defineSchedule('rates', {
  job: fetchRates,
  payload: {},
  every: 'PT20M',
  overlap: 'skip',
  missed: 'skip',
});
