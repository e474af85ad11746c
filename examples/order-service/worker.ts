import { createExecutor } from '../../functions/index.ts';
import { handledJobs } from './handled-jobs.ts';
import { processEnvironment } from './shop-environment.ts';

/** The executor Lambda of the order service. */
export const handler = createExecutor(handledJobs(processEnvironment()));
