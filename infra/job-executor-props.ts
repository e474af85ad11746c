import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Code, FunctionOptions, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { HistoryMode, MetricsMode } from '../shared/config/environment.ts';
import type { SettingsProps } from './settings-props.ts';
import type { TickSource } from './ticks.ts';

/** A worker: one executor function with queues of its own. Each job type belongs to one worker. */
export interface WorkerProps {
  /**
   * The file that exports `handler`, made by `createExecutor`; a path from the folder in which the app runs.
   * @default - `code`
   */
  readonly entry?: string;
  /**
   * Code that is bundled already, instead of `entry`.
   * @default - bundled from `entry` with esbuild
   */
  readonly code?: Code;
  /**
   * The exported handler in `code`.
   * @default 'index.handler'
   */
  readonly handler?: string;
  /**
   * Whether job types with a `group` run here: they need a FIFO queue besides.
   * @default false
   */
  readonly groups?: boolean;
  /**
   * Executor settings of this worker; they go before those of the deployment.
   * @default - those of the deployment
   */
  readonly settings?: SettingsProps;
  /**
   * Environment variables for handlers.
   * @default - none besides Nightcrew's own
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Overrides of the function, such as `vpc` or `layers`; they go before those of the deployment.
   * @default - those of the deployment
   */
  readonly functionProps?: FunctionOptions;
}

/** Alarms: who is told, and from when on. */
export interface AlarmProps {
  /**
   * Gets every alarm, and its end.
   * @default - nobody is told
   */
  readonly topic?: ITopic;
  /**
   * Further actions of every alarm.
   * @default - none
   */
  readonly actions?: readonly IAlarmAction[];
  /**
   * Where the articles of the runbook are to be read; each alarm's description adds its anchor.
   * @default 'docs/runbook.md'
   */
  readonly runbook?: string;
  /**
   * How long a job that is due may wait for an executor.
   * @default Duration.minutes(15)
   */
  readonly oldestReadyAge?: Duration;
  /**
   * How late a timer may fire.
   * @default Duration.minutes(2)
   */
  readonly timerLag?: Duration;
}

/** A job executor with its workers. */
export interface JobExecutorProps {
  /** Workers by name. The name of a worker is what job types say in `worker`; without one they say `default`. */
  readonly workers: Readonly<Record<string, WorkerProps>>;
  /**
   * Constants of executor, acquirer and sweeper.
   * @default - see docs/settings.md
   */
  readonly settings?: SettingsProps;
  /**
   * Whether jobs run. Switched off, jobs can be enqueued and wait; `createActivation` does the same without a deployment.
   * @default true
   */
  readonly active?: boolean;
  /**
   * Whether finished jobs are kept for `settings.historyDays`: not at all, in batches after completion, or in the transaction that completes them.
   * @default 'outcome'
   */
  readonly history?: HistoryMode;
  /**
   * Which metrics are published: by worker, by worker and job type (each type costs money every month), or none.
   * @default 'worker'
   */
  readonly metrics?: MetricsMode;
  /**
   * What starts acquirer and sweeper. `rules` is for places without EventBridge Scheduler.
   * @default 'schedules'
   */
  readonly ticks?: TickSource;
  /**
   * What becomes of tables and logs when the stack is deleted. Anything but RETAIN also lifts the tables' deletion protection.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Key for tables and queues.
   * @default - keys that DynamoDB and SQS own
   */
  readonly encryptionKey?: IKey;
  /**
   * Tells this deployment's metrics from those of others in the account.
   * @default - made from the names of stack and construct
   */
  readonly deploymentName?: string;
  /**
   * Whether alarms are made.
   * @default true
   */
  readonly alarms?: boolean;
  /**
   * Who is told of alarms, and from when on.
   * @default - nobody is told: the alarms only show
   */
  readonly alarmOptions?: AlarmProps;
  /**
   * Whether a dashboard is made.
   * @default true
   */
  readonly dashboard?: boolean;
  /**
   * How long logs are kept.
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * X-Ray tracing of the functions.
   * @default Tracing.ACTIVE
   */
  readonly tracing?: Tracing;
  /**
   * Overrides of all functions, such as `vpc` or `layers`.
   * @default - none
   */
  readonly functionProps?: FunctionOptions;
}
