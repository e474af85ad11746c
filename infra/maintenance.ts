import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.ts';
import { createAcquirer, type DutyOptions } from './acquirer-function.ts';
import type { FunctionChoices } from './function-defaults.ts';
import type { JobExecutorProps } from './job-executor-props.ts';
import type { MaintenanceProps } from './maintenance-props.ts';
import { queueEncryption } from './queues.ts';
import { defined } from '../shared/job/defined.ts';
import { createCleanerFunction } from './cleaner-function.ts';
import { createSweeper } from './sweeper-function.ts';
import type { TickFunction } from './tick-function.ts';
import { acquirerTicks, Ticks } from './ticks.ts';

/** Acquirer and sweeper, and what starts them. */
export interface Maintenance {
  readonly acquirer: TickFunction;
  readonly sweeper: TickFunction;
  /** Absent without `largePayloads`. */
  readonly cleaner?: TickFunction;
  readonly failedTicks: Queue;
  readonly ticks: Ticks;
}

/** What a deployment gives its acquirer and sweeper. */
export interface MaintenanceOptions extends Omit<DutyOptions, 'failedTicks' | 'choices'> {
  readonly props: Pick<JobExecutorProps, 'schedules' | 'ticks' | 'acquirer' | 'sweeper' | 'largePayloads' | 'reserveTicks'>;
  /** Those of the deployment with the function's own. */
  readonly choices: (own?: MaintenanceProps) => FunctionChoices;
  readonly active: boolean;
}

/** Makes the two functions and their ticks directly in `scope`, where their logical ids come from. */
export function createMaintenance(scope: Construct, { props, active, choices, ...duty }: MaintenanceOptions): Maintenance {
  const failedTicks = createFailedTicks(scope, choices().encryptionKey);
  const { acquirers, acquirerIntervalMs, sweeperIntervalMs } = duty.settings;
  // One more than come at the same time: a tick may begin before the one before has ended.
  const reserved = (count: number, own?: MaintenanceProps): FunctionChoices =>
    choices(props.reserveTicks === true ? { functionProps: { ...own?.functionProps, reservedConcurrentExecutions: count + 1 } } : own);
  const acquirer = createAcquirer(scope, { ...duty, failedTicks, choices: reserved(acquirers, props.acquirer) }, props.schedules);
  const sweeper = createSweeper(scope, { ...duty, failedTicks, choices: reserved(1, props.sweeper) });
  const cleaner = cleanerOf(scope, props.largePayloads, (own) => ({ ...duty, failedTicks, choices: reserved(1, own) }));
  const ticks = new Ticks(scope, 'Ticks', {
    ticks: [
      ...acquirerTicks(acquirer.alias as IFunction, acquirers, acquirerIntervalMs),
      { id: 'Sweeper', description: 'Starts the sweeper.', fn: sweeper.alias as IFunction, everyMs: sweeperIntervalMs, input: {} },
      ...(cleaner === undefined
        ? []
        : [{ id: 'Cleaner', description: 'Starts the cleaner.', fn: cleaner.alias as IFunction, everyMs: DAY_MS, input: {} }]),
    ],
    source: props.ticks ?? 'schedules',
    active,
    failedTicks,
  });
  return { acquirer, sweeper, failedTicks, ticks, ...defined({ cleaner }) };
}

const DAY_MS = 86_400_000;

function cleanerOf(
  scope: Construct,
  largePayloads: JobExecutorProps['largePayloads'],
  options: (own?: MaintenanceProps) => DutyOptions,
): TickFunction | undefined {
  if (largePayloads === undefined || largePayloads === false) return undefined;
  return createCleanerFunction(scope, options(largePayloads === true ? undefined : largePayloads));
}

function createFailedTicks(scope: Construct, encryptionKey: IKey | undefined): Queue {
  const queue = new Queue(scope, 'FailedTicks', {
    ...queueEncryption(encryptionKey),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  acknowledge(queue, 'deadLetterQueue');
  return queue;
}
