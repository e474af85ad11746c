import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Code, FunctionOptions, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { HistoryMode, MetricsMode } from '../shared/config/environment.ts';
import type { ScheduleDefinition } from '../shared/features/schedules/model/definition.ts';
import type { SettingsProps } from './settings-props.ts';
import type { TickSource } from './ticks.ts';

/** A lane of a worker: a range of priorities with its own queue and executors. */
export interface LaneProps {
  /**
   * The lowest priority of the lane, inclusive.
   * @default - everything below `to`: for the lowest lane only
   */
  readonly from?: number;
  /**
   * The highest priority of the lane, inclusive.
   * @default - everything above `from`: for the highest lane only
   */
  readonly to?: number;
  /**
   * How many executors this lane's event source runs at the same time.
   * @default - `maxConcurrency` of the worker's settings
   */
  readonly maxConcurrency?: number;
  /**
   * Messages per invocation. With 1 the lane starts its jobs strictly in the order in which SQS delivers them.
   * @default - `batchSize` of the worker's settings
   */
  readonly batchSize?: number;
}

/** A worker: one executor function, or processes outside Lambda, with its own queues. Each job type belongs to one worker. */
export interface WorkerProps {
  /**
   * Whether its jobs run outside Lambda, by `runWorker` or `external`. The worker gets queues, but no function and no event source.
   * Grant the process access with `grantRun`.
   * @default false
   */
  readonly outside?: boolean;
  /**
   * The file that exports `handler`, made by `createExecutor`. The path is relative to the folder in which the app runs.
   * @default - `code`
   */
  readonly entry?: string;
  /**
   * Bundled code, instead of `entry`.
   * @default - bundled from `entry` with esbuild
   */
  readonly code?: Code;
  /**
   * The exported handler in `code`.
   * @default 'index.handler'
   */
  readonly handler?: string;
  /**
   * Whether job types with a `group` run here. Adds a FIFO queue.
   * @default false
   */
  readonly groups?: boolean;
  /**
   * Lanes by name. Together they must cover every priority exactly once: `{ urgent: { from: 10 }, default: { to: 9 } }`. Jobs with
   * a group go to the one FIFO queue whatever their priority.
   * @default - one lane, `default`, for all priorities
   */
  readonly lanes?: Readonly<Record<string, LaneProps>>;
  /**
   * Whether fired timers get a lane of their own, `timers`, whatever their priority.
   * @default false
   */
  readonly timersFirst?: boolean;
  /**
   * Priority of jobs that get none from `enqueue` or their type. Higher is more urgent.
   * @default 0
   */
  readonly priority?: number;
  /**
   * Executor settings of this worker. They override those of the deployment.
   * @default - those of the deployment
   */
  readonly settings?: SettingsProps;
  /**
   * Environment variables for handlers.
   * @default - none besides Nightcrew's own
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Overrides of the function, such as `vpc` or `layers`. They override those of the deployment.
   * @default - those of the deployment
   */
  readonly functionProps?: FunctionOptions;
}

/** Alarms: destinations and thresholds. */
export interface AlarmProps {
  /**
   * Topic that receives every alarm and its end.
   * @default - none
   */
  readonly topic?: ITopic;
  /**
   * Further actions of every alarm.
   * @default - none
   */
  readonly actions?: readonly IAlarmAction[];
  /**
   * Where to read the runbook. The description of each alarm ends with this address and the anchor of its article.
   * @default 'docs/operate/runbook.md'
   */
  readonly runbook?: string;
  /**
   * How long a due job may wait for an executor before the alarm.
   * @default Duration.minutes(15)
   */
  readonly oldestReadyAge?: Duration;
  /**
   * How late a timer may fire before the alarm.
   * @default Duration.minutes(2)
   */
  readonly timerLag?: Duration;
}

/** Destinations of job events: one event per transition, never with a payload. */
export interface EventsProps {
  /**
   * Whether to keep events in the History table, for `admin.events`. Costs one write per event.
   * @default false
   */
  readonly log?: boolean;
  /**
   * The event bus to which executors, acquirer and sweeper send events. Install `@aws-sdk/client-eventbridge` where an entry is bundled.
   * @default - none
   */
  readonly bus?: Pick<IEventBus, 'eventBusArn'>;
  /**
   * Whether events are on until an operator switches them with `admin.switchEvents`.
   * @default true
   */
  readonly on?: boolean;
}

/** A job executor with its workers. */
export interface JobExecutorProps {
  /** Workers by name. A job type names its worker in `worker`; the default is `default`. */
  readonly workers: Readonly<Record<string, WorkerProps>>;
  /**
   * Recurring schedules, made with `defineSchedule`. A deployment adds new ones, updates changed ones and removes those that are gone.
   * Schedules that operators made at run time are left alone.
   * @default - none
   */
  readonly schedules?: readonly ScheduleDefinition[];
  /**
   * Settings of executor, acquirer and sweeper.
   * @default - see docs/reference/settings.md
   */
  readonly settings?: SettingsProps;
  /**
   * Whether jobs run. If false, jobs can be enqueued and wait. `createActivation` switches without a deployment.
   * @default true
   */
  readonly active?: boolean;
  /**
   * What History keeps of finished jobs, for `settings.historyDays`. See docs/guides/history-and-events.md.
   * @default 'outcome'
   */
  readonly history?: HistoryMode;
  /**
   * Which metrics to publish: by worker, by worker and job type (each type costs money every month), or none. Set it if only another
   * stack reads the metrics of acquirer and sweeper.
   * @default - `worker`; acquirer and sweeper publish none if `alarms` and `dashboard` are false and the stack uses no metric of this construct
   */
  readonly metrics?: MetricsMode;
  /**
   * Destinations of job events.
   * @default - none
   */
  readonly events?: EventsProps;
  /**
   * What starts acquirer and sweeper. Use `rules` where EventBridge Scheduler is not available.
   * @default 'schedules'
   */
  readonly ticks?: TickSource;
  /**
   * What happens to tables and logs when the stack is deleted. Any value but RETAIN also turns off the deletion protection of the tables.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Key for tables and queues.
   * @default - keys that DynamoDB and SQS own
   */
  readonly encryptionKey?: IKey;
  /**
   * Distinguishes the metrics of this deployment from those of others in the account.
   * @default - made from the names of stack and construct
   */
  readonly deploymentName?: string;
  /**
   * Whether to create alarms.
   * @default true
   */
  readonly alarms?: boolean;
  /**
   * Destinations and thresholds of alarms.
   * @default - alarms notify nobody
   */
  readonly alarmOptions?: AlarmProps;
  /**
   * Whether to create a dashboard.
   * @default true
   */
  readonly dashboard?: boolean;
  /**
   * How long to keep logs.
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * X-Ray tracing of all functions.
   * @default - executors are traced; acquirer and sweeper are not, because each minute would cost a trace
   */
  readonly tracing?: Tracing;
  /**
   * Overrides of all functions, such as `vpc` or `layers`.
   * @default - none
   */
  readonly functionProps?: FunctionOptions;
}
