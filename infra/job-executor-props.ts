import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Code, FunctionOptions, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { HistoryMode, MetricsMode } from '../shared/config/environment.ts';
import type { ScheduleDefinition } from '../shared/features/schedules/model/definition.ts';
import type { AdoptedTables } from './adopted-tables.ts';
import type { MaintenanceProps } from './maintenance-props.ts';
import type { PollerProps } from './pollers.ts';
import type { DeploymentProps } from './roll-outs.ts';
import type { SettingsProps } from './settings-props.ts';
import type { TablesProps } from './table-props.ts';
import type { TickSource } from './ticks.ts';

/** A lane of a worker: a range of priorities with a queue of its own. */
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
   * How many executors this lane's event source runs at the same time: 2 or more; 0 sets no limit.
   * @default - `maxConcurrency` of the worker's settings
   */
  readonly maxConcurrency?: number;
  /**
   * Pollers that Lambda keeps for this lane, in place of `maxConcurrency`.
   * @default - `pollers` of the worker
   */
  readonly pollers?: PollerProps;
  /**
   * Messages per invocation at most.
   * @default - `batchSize` of the worker's settings
   */
  readonly batchSize?: number;
}

/** A worker: one executor function, or processes outside Lambda, with its own queues. */
export interface WorkerProps {
  /**
   * Whether its jobs run outside Lambda, by `runWorker`, `external` or `externalApi`. The worker gets queues, but no function and no event
   * source. Grant the process access with `grantRun`.
   * @default false
   */
  readonly outside?: boolean;
  /**
   * The file that exports `handler`, made by `createExecutor`. A relative path begins at the folder in which the app runs.
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
   * Names that this worker had in earlier deployments. Jobs that still have one are sent to this worker's queues. Keep a name until no job
   * has it: `nightcrew jobs move --worker <old> --to-worker <new>` gives them the new one.
   * @default - none
   */
  readonly formerly?: readonly string[];
  /**
   * Whether to add a FIFO queue, for jobs with an exclusive group. Without it they may wait for minutes while their group is locked.
   * @default false
   */
  readonly groups?: boolean;
  /**
   * Lanes by name. Together they must cover every priority exactly once: `{ urgent: { from: 10 }, default: { to: 9 } }`. With `groups` jobs
   * with an exclusive group go to the one FIFO queue instead.
   * @default - one lane, `default`, for all priorities
   */
  readonly lanes?: Readonly<Record<string, LaneProps>>;
  /**
   * Pollers that Lambda keeps for each queue of jobs (provisioned mode), which cost money by the hour. They replace
   * `maxConcurrency`: Lambda does not allow both.
   * @default - none: Lambda adds and removes pollers by itself
   */
  readonly pollers?: PollerProps;
  /**
   * Whether fired timers get a lane of their own, `timers`, regardless of priority, but not those that go to a FIFO queue.
   * @default false
   */
  readonly timersFirst?: boolean;
  /**
   * Priority of jobs that get none from their options or type. Higher is more urgent.
   * @default 0
   */
  readonly priority?: number;
  /**
   * Executor settings of this worker. They override those of the deployment.
   * @default - those of the deployment
   */
  readonly settings?: SettingsProps;
  /**
   * Environment variables for handlers, besides Nightcrew's own.
   * @default - none
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
   * Topic that receives alarms and their ends, but those of heartbeats not with `active: false`.
   * @default - none
   */
  readonly topic?: ITopic;
  /**
   * Further actions of alarms, as those of `topic`.
   * @default - none
   */
  readonly actions?: readonly IAlarmAction[];
  /**
   * Address of the runbook. The description of each alarm ends with this address and the anchor of its article.
   * @default 'docs/operate/runbook.md'
   */
  readonly runbook?: string;
  /**
   * How long a due job may wait for an executor. The alarm comes when as long a wait is reported in each of five minutes, or of fewer longer
   * periods if `sweeperInterval` is more than a minute. Alarms of single lanes add `delayHorizon`.
   * @default Duration.minutes(15)
   */
  readonly oldestReadyAge?: Duration;
  /**
   * How late a timer may fire. The alarm comes as for `oldestReadyAge`, but after three minutes, and by `acquirerInterval`.
   * @default Duration.minutes(2)
   */
  readonly timerLag?: Duration;
}

/** Destinations of job events. An event has no payload. */
export interface EventsProps {
  /**
   * Whether to keep events in the History table, for `admin.events`. Each event is a row.
   * @default false
   */
  readonly log?: boolean;
  /**
   * The event bus to which executors, workers outside Lambda, the HTTP API, acquirer and sweeper send events. Install `@aws-sdk/client-eventbridge` where an entry is bundled.
   * @default - none
   */
  readonly bus?: Pick<IEventBus, 'eventBusArn'>;
  /**
   * Whether log and bus are on until an operator switches them with `admin.switchEvents`.
   * @default true
   */
  readonly on?: boolean;
}

/** A job executor with its workers. */
export interface JobExecutorProps {
  /** Workers by name. A job type names its worker in `worker`; the default is `default`. */
  readonly workers: Readonly<Record<string, WorkerProps>>;
  /**
   * Recurring schedules, made with `defineSchedule`. After a deployment the acquirer adds new ones, updates changed ones and removes those that
   * are gone. Schedules that operators made at run time under other names are left alone.
   * @default - none
   */
  readonly schedules?: readonly ScheduleDefinition[];
  /**
   * Settings of the functions.
   * @default - see docs/reference/settings.md
   */
  readonly settings?: SettingsProps;
  /**
   * Whether executors, acquirer, sweeper and cleaner run. If false, all jobs wait but ready ones of workers outside Lambda.
   * @default true
   */
  readonly active?: boolean;
  /**
   * Moves functions to a new version with CodeDeploy, and back when that version fails. See docs/operate/roll-outs.md.
   * @default - all invocations go to the new version at once
   */
  readonly deployment?: DeploymentProps;
  /**
   * What History keeps of finished jobs and attempts, for `settings.historyDays`; types may differ. See docs/guides/history-and-events.md.
   * @default 'outcome'
   */
  readonly history?: HistoryMode;
  /**
   * Which metrics to publish: by worker, also by job type (`type`, or `{ types: ['invoice.send'] }` for up to 20 of them), or none (`off`).
   * CloudWatch bills those of each type as metrics of their own. Set it to use `metric()` without alarms and dashboard.
   * @default - `worker`; acquirer and sweeper publish none if `alarms` and `dashboard` are false
   */
  readonly metrics?: MetricsMode;
  /**
   * Destinations of job events.
   * @default - none
   */
  readonly events?: EventsProps;
  /**
   * What starts acquirer, sweeper and cleaner. Use `rules` where EventBridge Scheduler is not available.
   * @default 'schedules'
   */
  readonly ticks?: TickSource;
  /**
   * What happens to tables, logs and the bucket of large payloads when the stack is deleted: see docs/operate/tables.md.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Options of the tables: of all, and by the name of a table of one. See docs/operate/tables.md.
   * @default - those of new tables, with point-in-time recovery
   */
  readonly tableProps?: TablesProps;
  /**
   * Existing tables to use instead of new ones, all six or some: after a restore, or a move from another stack. Their keys, indexes and
   * TTL must be those of the tables that they replace; `nightcrew doctor` checks that. See docs/operate/tables.md.
   * @default - the construct makes its tables
   */
  readonly tables?: AdoptedTables;
  /**
   * Key for the tables, queues, log groups, environment variables and the bucket of large payloads that the construct makes. Its policy is
   * extended; for an imported key the app warns with the statements that it must have. See docs/operate/operator-access.md.
   * @default - keys of AWS
   */
  readonly encryptionKey?: IKey;
  /**
   * Distinguishes the metrics of this deployment from those of others in the account.
   * @default - made from the names of stack and construct
   */
  readonly deploymentName?: string;
  /**
   * Whether to create alarms, besides those of `deployment`. With `metrics: 'off'` they watch AWS's own metrics only.
   * @default true
   */
  readonly alarms?: boolean;
  /**
   * Destinations and thresholds of alarms.
   * @default - alarms have no action
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
   * X-Ray tracing of the functions.
   * @default - executors are traced; the other functions are not, because each tick and poll would cost a trace
   */
  readonly tracing?: Tracing;
  /**
   * Overrides of all functions, such as `vpc` or `layers`. Reserved concurrency and a name are given to a single function instead.
   * @default - none
   */
  readonly functionProps?: FunctionOptions;
  /**
   * Overrides of the acquirer. They override those of the deployment.
   * @default - those of the deployment
   */
  readonly acquirer?: MaintenanceProps;
  /**
   * Overrides of the sweeper. They override those of the deployment.
   * @default - those of the deployment
   */
  readonly sweeper?: MaintenanceProps;
  /**
   * Whether to reserve concurrency, so that ticks run when executors have used up the account's: one for each acquirer and one more, two
   * for the sweeper, two for a cleaner. Lambda refuses it where less than 100 would stay unreserved, as in new accounts.
   * @default false
   */
  readonly reserveTicks?: boolean;
  /**
   * Whether to add an HTTP API for workers in any language, at a URL that IAM authorizes: see docs/guides/workers-in-any-language.md and
   * `grantExternalApi`. It hands out jobs of the workers outside Lambda.
   * @default false
   */
  readonly externalApi?: boolean | MaintenanceProps;
  /**
   * Whether to add a bucket for large payloads, and the cleaner, a function that once a day removes those older than a day that no row
   * refers to. See docs/guides/large-payloads.md.
   * @default false
   */
  readonly largePayloads?: boolean | MaintenanceProps;
}
