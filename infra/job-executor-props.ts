import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Code, FunctionOptions, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { HistoryMode, MetricsMode } from '../shared/config/environment.ts';
import type { ScheduleDefinition } from '../shared/core/schedule/definition.ts';
import type { SettingsProps } from './settings-props.ts';
import type { TickSource } from './ticks.ts';

/** A lane of a worker: a range of priorities with a queue, and executors, of its own. */
export interface LaneProps {
  /**
   * The lowest priority that goes here, inclusive.
   * @default - everything below `to`: for the lowest lane only
   */
  readonly from?: number;
  /**
   * The highest priority that goes here, inclusive.
   * @default - everything above `from`: for the highest lane only
   */
  readonly to?: number;
  /**
   * How many executors this lane's event source runs at the same time.
   * @default - `maxConcurrency` of the worker's settings
   */
  readonly maxConcurrency?: number;
  /**
   * Messages per invocation. With 1 the lane starts its jobs strictly in the order in which SQS hands them out.
   * @default - `batchSize` of the worker's settings
   */
  readonly batchSize?: number;
}

/** A worker: one executor function, or processes elsewhere, with queues of its own. Each job type belongs to one worker. */
export interface WorkerProps {
  /**
   * Whether its jobs run outside Lambda, by `runWorker` or `external`: it gets queues, but no function and no event source.
   * Let whoever runs it do so with `grantRun`.
   * @default false
   */
  readonly outside?: boolean;
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
   * Lanes by name. Together they must take every priority, each exactly once: `{ urgent: { from: 10 }, default: { to: 9 } }`. Jobs with
   * a group go to the one FIFO queue whatever their priority.
   * @default - one lane, `default`, for all priorities
   */
  readonly lanes?: Readonly<Record<string, LaneProps>>;
  /**
   * Whether fired timers have a lane of their own, `timers`, whatever their priority.
   * @default false
   */
  readonly timersFirst?: boolean;
  /**
   * Priority of jobs to which neither enqueue nor their type gives one. Higher is more urgent.
   * @default 0
   */
  readonly priority?: number;
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
   * @default 'docs/operate/runbook.md'
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

/** Where the events of jobs go: one for each transition, never a payload. */
export interface EventsProps {
  /**
   * Whether they are kept in the History table, for `admin.events`. One write for each event.
   * @default false
   */
  readonly log?: boolean;
  /**
   * The event bus on which executors, acquirer and sweeper put them. `@aws-sdk/client-eventbridge` has to be installed where an entry is
   * bundled.
   * @default - none
   */
  readonly bus?: Pick<IEventBus, 'eventBusArn'>;
  /**
   * What holds until an operator switches with `admin.switchEvents`.
   * @default true
   */
  readonly on?: boolean;
}

/** A job executor with its workers. */
export interface JobExecutorProps {
  /** Workers by name. The name of a worker is what job types say in `worker`; without one they say `default`. */
  readonly workers: Readonly<Record<string, WorkerProps>>;
  /**
   * Recurring schedules, made with `defineSchedule`. A deployment puts those that are new or changed and removes those that are gone;
   * what operators put at run time is left alone.
   * @default - none
   */
  readonly schedules?: readonly ScheduleDefinition[];
  /**
   * Constants of executor, acquirer and sweeper.
   * @default - see docs/reference/settings.md
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
   * Which metrics are published: by worker, by worker and job type (each type costs money every month), or none. Say it where only another
   * stack reads the metrics of acquirer and sweeper.
   * @default 'worker'; acquirer and sweeper publish none where `alarms` and `dashboard` are false and no metric of this construct is asked for
   */
  readonly metrics?: MetricsMode;
  /**
   * Where the events of jobs go.
   * @default - nowhere
   */
  readonly events?: EventsProps;
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
   * X-Ray tracing of all functions.
   * @default - executors are traced; acquirer and sweeper, which would pay for a trace each minute, are not
   */
  readonly tracing?: Tracing;
  /**
   * Overrides of all functions, such as `vpc` or `layers`.
   * @default - none
   */
  readonly functionProps?: FunctionOptions;
}
