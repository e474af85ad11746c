import { defineJob } from '../../shared/index.ts';
import { anyPayload } from '../frame/any-payload.ts';
import { JOB } from './system.ts';

/** Ours of the jobs that do nothing; the others check no payload either. */
export const noopJob = defineJob(JOB, { payload: anyPayload<{ readonly number: number }>() });
