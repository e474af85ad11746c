// The least that a function is which enqueues jobs.
import { createJobClient, defineJob } from 'nightcrew';

const greet = defineJob('greet', { payload: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } } });
const jobs = createJobClient();

export const handler = async ({ name }) => (await jobs.enqueue(greet, { name })).id;
