import { createJobClient, defineJob } from '../../shared/index.ts';

const anything = { '~standard': { version: 1, vendor: 'bench', validate: (value: unknown) => ({ value }) } } as const;
const greet = defineJob('bench.greet', { payload: anything });
const jobs = createJobClient();

/** The least that a Lambda is which enqueues jobs. */
export const handler = async (name: string): Promise<string> => (await jobs.enqueue(greet, { name })).id;
