import * as z from 'zod/mini';
import { defineJob } from '../../shared/index.ts';

/** Hours on a GPU: its worker is a machine of one's own, so the limit of a Lambda does not hold. Six hours are the limit of its type. */
export const trainModel = defineJob('model.train', { payload: z.object({ epochs: z.number() }), worker: 'gpu', timeout: 'PT6H' });

/** Its worker is code that is not JavaScript, so it has no handler anywhere. */
export const convertScan = defineJob('scan.convert', { payload: z.object({ file: z.string() }), worker: 'scanner', retry: 'R3/PT1S' });
