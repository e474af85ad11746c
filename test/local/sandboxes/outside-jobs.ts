import * as z from 'zod/mini';
import { defineJob } from '../../../shared/index.ts';

/** Runs for so long, whatever its signal says. */
export const brief = defineJob('brief', { payload: z.object({ ms: z.number() }), worker: 'machine', retry: 'R3/PT1S' });
/** Runs until its signal fires the first time; afterwards it ends at once. */
export const endless = defineJob('endless', { payload: z.object({}), worker: 'machine', retry: 'R3/PT1S' });
