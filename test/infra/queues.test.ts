import { Duration } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../shared/config/settings.ts';
import { executorTemplate, resources, WORKER_ENTRY } from './synth.ts';

interface QueueProperties {
  readonly QueueName?: string;
  readonly FifoQueue?: boolean;
  readonly VisibilityTimeout?: number;
  readonly MessageRetentionPeriod: number;
  readonly SqsManagedSseEnabled: boolean;
  readonly RedrivePolicy?: { readonly maxReceiveCount: number; readonly deadLetterTargetArn: unknown };
  readonly RedriveAllowPolicy?: { readonly redrivePermission: string; readonly sourceQueueArns: readonly unknown[] };
  readonly FifoThroughputLimit?: string;
  readonly DeduplicationScope?: string;
}

const GROUPS = { workers: { default: { entry: WORKER_ENTRY, groups: true }, reports: { entry: WORKER_ENTRY } } };
const DAY = 86_400;

function queues(props = GROUPS as Parameters<typeof executorTemplate>[0]): readonly QueueProperties[] {
  return Object.values(resources(executorTemplate(props), 'AWS::SQS::Queue')).map(
    ({ Properties }) => Properties as unknown as QueueProperties,
  );
}

const sources = (props?: Parameters<typeof executorTemplate>[0]) =>
  queues(props).filter(({ RedrivePolicy }) => RedrivePolicy !== undefined);

describe('the queues', () => {
  it('are one per lane, and a FIFO queue only for a worker with groups', () => {
    expect(sources().map(({ QueueName = '' }) => QueueName.replace(/^.*Worker-/, '').replace(/-[0-9A-F]{8}/, ''))).toEqual([
      'default-Queues-default',
      'default-Queues.fifo',
      'reports-Queues-default',
    ]);
  });

  it('run FIFO in high-throughput mode', () => {
    for (const queue of queues().filter(({ FifoQueue }) => FifoQueue)) {
      expect(queue).toMatchObject({ FifoThroughputLimit: 'perMessageGroupId', DeduplicationScope: 'messageGroup' });
    }
  });

  it('each have a dead-letter queue of 14 days that only they may use', () => {
    const all = queues();
    const deadLetterQueues = all.filter(({ RedriveAllowPolicy }) => RedriveAllowPolicy !== undefined);
    expect(deadLetterQueues).toHaveLength(3);
    for (const queue of deadLetterQueues) {
      expect(queue.MessageRetentionPeriod).toBe(14 * DAY);
      expect(queue.RedriveAllowPolicy?.redrivePermission).toBe('byQueue');
      expect(queue.RedriveAllowPolicy?.sourceQueueArns).toHaveLength(1);
    }
    const named = JSON.stringify(deadLetterQueues.map(({ RedriveAllowPolicy }) => RedriveAllowPolicy?.sourceQueueArns));
    for (const { QueueName = 'unnamed' } of sources()) expect(named).toContain(`:${QueueName}"`);
  });

  it('leave the fate of a job to the executor: a message may be received a hundred times', () => {
    expect(sources().map(({ RedrivePolicy }) => RedrivePolicy?.maxReceiveCount)).toEqual([100, 100, 100]);
  });

  it('are encrypted and refuse plain HTTP', () => {
    expect(queues().every(({ SqsManagedSseEnabled }) => SqsManagedSseEnabled)).toBe(true);
    const policies = Object.values(resources(executorTemplate(GROUPS), 'AWS::SQS::QueuePolicy'));
    expect(policies).toHaveLength(queues().length);
    for (const { Properties } of policies) expect(JSON.stringify(Properties)).toContain('"aws:SecureTransport":"false"');
  });

  it.each([
    [Duration.seconds(10), Duration.seconds(4)],
    [Duration.minutes(1), Duration.minutes(5)],
    [Duration.minutes(15), Duration.minutes(5)],
    [Duration.millis(SETTINGS.executorTimeoutMs.default), Duration.millis(SETTINGS.leaseMarginMs.default)],
  ])('keep a message away for longer than any lease lives: timeout %s, margin %s', (executorTimeout, leaseMargin) => {
    const settings = { executorTimeout, leaseMargin, recordReserve: Duration.seconds(1), minimumRun: Duration.seconds(1) };
    for (const { VisibilityTimeout, FifoQueue } of sources({ ...GROUPS, settings })) {
      expect(VisibilityTimeout).toBeGreaterThan(executorTimeout.toSeconds() + leaseMargin.toSeconds());
      if (FifoQueue !== true) expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * executorTimeout.toSeconds());
    }
  });

  it('follow the timeout of a worker that has its own', () => {
    const workers = {
      default: { entry: WORKER_ENTRY },
      slow: { entry: WORKER_ENTRY, settings: { executorTimeout: Duration.minutes(15) } },
    };
    expect(sources({ workers }).map(({ VisibilityTimeout }) => VisibilityTimeout)).toEqual([30 * 60, 90 * 60]);
  });

  it('have names that fit, however long those of stack and worker are', () => {
    const long = 'w'.repeat(32);
    const named = sources({ workers: { [long]: { entry: WORKER_ENTRY, groups: true } } }).map(({ QueueName = '' }) => QueueName);
    for (const name of named) {
      expect(name.length).toBeLessThanOrEqual(80);
      expect(name).toMatch(/^[\w-]+(\.fifo)?$/);
    }
    expect(new Set(named).size).toBe(2);
  });
});
