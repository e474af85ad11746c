/** A worker whose only job ignores its time limit the first time, and writes down that it is alive for as long as it is. */
import { appendFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { defineJob } from '../../../shared/index.ts';
import { createExecutor } from '../../../functions/index.ts';

export const stubborn = defineJob('stubborn', { payload: z.object({ file: z.string() }), timeout: 'PT1S', retry: 'R3/PT0S' });

const noteLife = (file: string, attempt: number): void => appendFileSync(file, `${attempt} ${process.pid} ${Date.now()}\n`);

export const handler = createExecutor([
  stubborn.handle(({ payload, job }) => {
    noteLife(payload.file, job.attempt);
    if (job.attempt > 1) return undefined;
    setInterval(() => noteLife(payload.file, job.attempt), 10);
    return new Promise(() => {});
  }),
]);
