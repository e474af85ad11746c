import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { JobExecutor } from '../../infra/index.ts';
import { MAIL_LANES } from './mail-jobs.ts';

/** A worker with three queues: urgent mail, other mail, and fired timers. */
export class MailStack extends Stack {
  readonly jobs: JobExecutor;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.jobs = new JobExecutor(this, 'Jobs', {
      workers: {
        mail: { entry: fileURLToPath(new URL('worker.ts', import.meta.url)), lanes: MAIL_LANES, timersFirst: true },
      },
    });
  }
}
