import { anyPayload } from '../frame/any-payload.ts';
import { createJobClient, defineJob } from '../../shared/index.ts';

const greet = defineJob('bench.greet', { payload: anyPayload() });
const jobs = createJobClient();

/** The least that a Lambda is which enqueues jobs. */
export const handler = async (name: string): Promise<string> => (await jobs.enqueue(greet, { name })).id;
