import { createExecutor } from '../../functions/index.ts';
import { dailyReport, fetchRates } from './jobs.ts';

export const handler = createExecutor([
  dailyReport.handle(({ payload, job, log }) => log.info('reported', { shop: payload.shop, day: job.nominalAt })),
  fetchRates.handle(({ log }) => log.info('fetched')),
]);
