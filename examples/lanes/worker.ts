import { createExecutor } from '../../functions/index.ts';
import { sendMail } from './mail-jobs.ts';

export const handler = createExecutor([sendMail.handle(({ payload, log }) => log.info('sent', { to: payload.to }))]);
