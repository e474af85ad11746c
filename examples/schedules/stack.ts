import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { JobExecutor } from '../../infra/index.ts';
import { everyNight, everyTwentyMinutes } from './jobs.ts';

/** A deployment that brings its schedules along: new ones begin, changed ones change, and those that are gone end. */
export class ReportStack extends Stack {
  readonly jobs: JobExecutor;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.jobs = new JobExecutor(this, 'Jobs', {
      workers: { default: { entry: fileURLToPath(new URL('worker.ts', import.meta.url)) } },
      schedules: [everyNight, everyTwentyMinutes],
    });
  }
}
