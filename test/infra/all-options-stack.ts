import { Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { LambdaDeploymentConfig } from 'aws-cdk-lib/aws-codedeploy';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import * as z from 'zod/mini';
import type { JobExecutorProps, WorkerProps } from '../../infra/job-executor-props.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { WORKER_ENTRY } from './synth.ts';

const WORKERS: Readonly<Record<string, WorkerProps>> = {
  default: {
    entry: WORKER_ENTRY,
    groups: true,
    formerly: ['main'],
    lanes: { urgent: { from: 10, maxConcurrency: 5, batchSize: 1 }, default: { to: 9 } },
    timersFirst: true,
    priority: 1,
    settings: { executorTimeout: Duration.minutes(2), provisionedConcurrency: 1 },
    environment: { SHOP: 'test' },
  },
  reports: { entry: WORKER_ENTRY, pollers: { minimum: 2, maximum: 20 }, functionProps: { reservedConcurrentExecutions: 200 } },
  machines: { outside: true, groups: true },
};

const VPC = { vpcId: 'vpc-0a1b2c3d', availabilityZones: ['eu-west-1a'], privateSubnetIds: ['subnet-0a1b2c3d'] };

/** A stack with every option of the job executor, each at a value that is not its default. The compiler names an option that is missing here. */
export class AllOptionsStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, { env: { region: 'eu-west-1' }, description: 'Every option of the job executor.' });
    const encryptionKey = new Key(this, 'Key', { enableKeyRotation: true });
    const topic = new Topic(this, 'Alarms', { masterKey: encryptionKey, enforceSSL: true });
    const pager = new Topic(this, 'Pager', { masterKey: encryptionKey, enforceSSL: true });
    const report = defineJob('report', { payload: z.object({}), worker: 'reports' });
    const props = {
      workers: WORKERS,
      schedules: [defineSchedule('nightly', { job: report, payload: {}, cron: '0 3 * * *' })],
      settings: { acquirers: 2, batchWindow: Duration.seconds(1), historyDays: 7 },
      active: false,
      deployment: { config: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE },
      history: 'durable',
      metrics: { types: ['report'] },
      events: { log: true, bus: new EventBus(this, 'Bus', { kmsKey: encryptionKey }), on: false },
      ticks: 'rules',
      removalPolicy: RemovalPolicy.DESTROY,
      encryptionKey,
      deploymentName: 'all-options',
      alarms: true,
      alarmOptions: { topic, actions: [new SnsAction(pager)], runbook: 'https://example.com/runbook', timerLag: Duration.minutes(5) },
      dashboard: true,
      logRetention: RetentionDays.ONE_YEAR,
      tracing: Tracing.ACTIVE,
      functionProps: { vpc: Vpc.fromVpcAttributes(this, 'Vpc', VPC) },
      acquirer: { functionProps: { ephemeralStorageSize: Size.mebibytes(1_024) } },
      sweeper: { functionProps: { ephemeralStorageSize: Size.mebibytes(1_024) } },
      reserveTicks: true,
      largePayloads: { functionProps: { ephemeralStorageSize: Size.mebibytes(1_024) } },
      externalApi: { functionProps: { ephemeralStorageSize: Size.mebibytes(1_024) } },
      tableProps: {
        warmThroughput: { writeUnitsPerSecond: 8_000 },
        maxWriteRequestUnits: 20_000,
        recoveryPeriodInDays: 7,
        jobs: { removalPolicy: RemovalPolicy.RETAIN, deletionProtection: true },
      },
      tables: { history: TableV2.fromTableName(this, 'History', 'history-restored') },
    } satisfies Required<JobExecutorProps>;
    const jobs = new JobExecutor(this, 'Jobs', props);
    jobs.grantEnqueue(new AccountPrincipal('210987654321'));
    jobs.grantExternalApi(new AccountPrincipal('210987654321'));
  }
}
