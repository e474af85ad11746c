import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defineJob } from '../../shared/index.ts';
import { JOB } from './system.ts';

// The others check no payload either.
const anything: StandardSchemaV1<{ readonly number: number }> = {
  '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value: value as { readonly number: number } }) },
};

/** Ours of the jobs that do nothing. */
export const noopJob = defineJob(JOB, { payload: anything });
