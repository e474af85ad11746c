import { Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Alarm, Dashboard, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { CfnEventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { refuse } from '../shared/config/deployment-checks.ts';
import type { Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/core/defined.ts';
import type { MetricName } from '../shared/adapters/observability/names.ts';
import { acknowledge } from './acknowledgements.ts';
import { createAcquirer, type DutyOptions } from './acquirer-function.ts';
import { Alarms } from './alarms.ts';
import { executorCode } from './bundle.ts';
import { createDashboard } from './dashboard.ts';
import { deploymentEnvironment } from './deployment-environment.ts';
import { ExecutorFunction } from './executor-function.ts';
import type { FunctionChoices } from './function-defaults.ts';
import { grantActivation } from './activation-grant.ts';
import { grant } from './grants.ts';
import { ImportedJobExecutor, type JobExecutorAttributes } from './imported-job-executor.ts';
import { type IJobExecutor, JobExecutorBase } from './job-executor-base.ts';
import type { JobExecutorProps, WorkerProps } from './job-executor-props.ts';
import { concurrencyOf, laneAttributes } from './lane-plan.ts';
import type { JobMetricOptions } from './metrics.ts';
import { createOutputs } from './outputs.ts';
import { checkProps, checkReserved } from './props-checks.ts';
import { WorkerQueues } from './queues.ts';
import { eventReferences, unusedPackages } from './event-references.ts';
import { type DeploymentReferences, eventsConfig } from './references.ts';
import { checkedSettings, settingValues } from './settings.ts';
import { createSweeper } from './sweeper-function.ts';
import { createTables, type Tables } from './tables.ts';
import { tickMetrics } from './tick-metrics.ts';
import { acquirerTicks, Ticks } from './ticks.ts';
import { planWorkers, type WorkerPlan } from './worker-plan.ts';

/** A worker as it was made: its queues, its function and what feeds it. */
export interface DeployedWorker {
  readonly queues: WorkerQueues;
  /** Settings of its own and of the deployment, where they differ from the defaults. */
  readonly overrides: Readonly<Record<string, number>>;
  /** Absent for a worker outside Lambda. */
  readonly fn?: LambdaFunction;
  readonly mappings: readonly CfnEventSourceMapping[];
}

/**
 * Tables, queues, executors, acquirer, sweeper, ticks, alarms and dashboard of one deployment. Throws InvalidConfigurationError
 * when it is built with settings that contradict each other.
 */
export class JobExecutor extends JobExecutorBase {
  /** A job executor that another stack or repository deploys, to connect functions to it and to grant access. */
  static fromJobExecutorAttributes(scope: Construct, id: string, attributes: JobExecutorAttributes): IJobExecutor {
    return new ImportedJobExecutor(scope, id, attributes);
  }

  readonly tables: Tables;
  readonly workers: ReadonlyMap<string, DeployedWorker>;
  readonly acquirerFunction: LambdaFunction;
  readonly sweeperFunction: LambdaFunction;
  /** Ticks of acquirer and sweeper that failed. Nothing reads it: it is there to be looked at. */
  readonly failedTicks: Queue;
  readonly ticks: Ticks;
  readonly alarms: readonly Alarm[];
  readonly dashboard?: Dashboard;
  protected readonly references: DeploymentReferences;
  readonly #props: JobExecutorProps;
  #metricsAsked = false;

  constructor(scope: Construct, id: string, props: JobExecutorProps) {
    super(scope, id);
    this.#props = props;
    checkProps(this, props);
    const overrides = settingValues(props.settings);
    const settings = checkedSettings(overrides);
    const plans = planWorkers(props, overrides);
    this.tables = createTables(new Construct(this, 'Tables'), {
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      ...defined({ encryptionKey: props.encryptionKey }),
    });
    const queues = new Map([...plans].map(([worker, plan]) => [worker, this.#queues(worker, plan)]));
    this.references = this.#makeReferences(queues, overrides);
    this.failedTicks = this.#makeFailedTicks();
    this.workers = new Map([...plans].map(([worker, plan]) => [worker, this.#worker(worker, plan, queues)]));
    const duty = this.#duty(settings);
    this.acquirerFunction = createAcquirer(this, duty, props.schedules).fn;
    this.sweeperFunction = createSweeper(this, duty).fn;
    this.ticks = this.#ticks(settings);
    this.alarms = props.alarms === false ? [] : this.#alarms(settings).all;
    if (props.dashboard !== false)
      this.dashboard = createDashboard(this, { ...this.#watched(), alarms: this.alarms, runbook: this.#runbook });
    createOutputs(this);
  }

  /** The function that runs a worker's jobs: grant it what its handlers need. */
  executorFunction(worker = 'default'): LambdaFunction {
    const { fn } = this.#known(worker);
    return fn ?? refuse('worker', `${worker} runs outside Lambda and has no function. Use grantRun.`);
  }

  /** Lets a container or machine run the jobs of a worker, by `runWorker` or `external`: the exact permissions. Its environment is `workerEnvironment`. */
  grantRun(grantee: IGrantable, worker: string): Grant {
    this.#known(worker);
    return grant('run', this.references, grantee, worker);
  }

  /**
   * Lets a person or a pipeline switch the deployment off and on, by `createActivation` or the CLI. Not for the deployment's own functions:
   * their event sources are part of it.
   */
  grantActivate(grantee: IGrantable): Grant {
    return grantActivation(this, grantee);
  }

  /** The environment variables that `runWorker` and `external` read; for workers outside Lambda they are an output of the stack too. */
  workerEnvironment(worker: string): Record<string, string> {
    return this.#environment(this.#known(worker).overrides, worker);
  }

  #known(worker: string): DeployedWorker {
    return this.workers.get(worker) ?? refuse('worker', `${worker} is not a worker. Known are: ${[...this.workers.keys()].join(', ')}.`);
  }

  override metric(name: MetricName, options?: JobMetricOptions): Metric {
    this.#metricsAsked = true;
    return super.metric(name, options);
  }

  /** What another stack needs for `fromJobExecutorAttributes`. */
  get attributes(): JobExecutorAttributes {
    const { settings, history, metrics, events, encryptionKey } = this.#props;
    return {
      deploymentName: this.deploymentName,
      tableArns: Object.fromEntries(
        Object.entries(this.tables).map(([name, table]) => [name, table.tableArn]),
      ) as JobExecutorAttributes['tableArns'],
      workers: Object.fromEntries(
        [...this.workers].map(([worker, { queues }]) => [
          worker,
          {
            laneQueueArns: Object.fromEntries(Object.entries(queues.lanes).map(([lane, queue]) => [lane, queue.queueArn])),
            ...laneAttributes(queues.references),
            ...(queues.fifo === undefined ? {} : { fifoQueueArn: queues.fifo.queueArn }),
          },
        ]),
      ),
      ...defined({ settings, history, metrics }),
      ...(events === undefined ? {} : { events: eventsConfig(eventReferences(events), false) }),
      ...(encryptionKey === undefined ? {} : { encryptionKeyArn: encryptionKey.keyArn }),
    };
  }

  /** What `createActivation` switches; the values are known after the deployment, which puts them out as `Activation`. */
  get activationTargets() {
    const group = this.ticks.scheduleGroup;
    return {
      schedules: this.ticks.schedules.map((schedule) => ({ name: schedule.ref, groupName: group?.ref ?? 'default' })),
      eventSourceMappings: [...this.workers.values()].flatMap(({ mappings }) => mappings.map((mapping) => mapping.ref)),
    };
  }

  get #active(): boolean {
    return this.#props.active ?? true;
  }

  #choices(worker?: WorkerProps): FunctionChoices {
    const { logRetention, tracing, functionProps, removalPolicy = RemovalPolicy.RETAIN } = this.#props;
    return {
      removalPolicy,
      ...defined({ logRetention, tracing }),
      functionProps: {
        ...functionProps,
        ...worker?.functionProps,
        environment: { ...functionProps?.environment, ...worker?.environment, ...worker?.functionProps?.environment },
      },
    };
  }

  #queues(worker: string, { props, settings, lanes, timeoutMs }: WorkerPlan): WorkerQueues {
    const { encryptionKey } = this.#props;
    const queues = new WorkerQueues(new Construct(this, `Worker-${worker}`), 'Queues', {
      settings,
      lanes,
      groups: props.groups ?? false,
      outside: props.outside ?? false,
      ...defined({ timeoutMs, encryptionKey }),
    });
    for (const queue of queues.deadLetterQueues) acknowledge(queue, 'deadLetterQueue');
    return queues;
  }

  #makeReferences(queues: ReadonlyMap<string, WorkerQueues>, settings: Record<string, number>): DeploymentReferences {
    const { deploymentName, history, metrics, events, encryptionKey } = this.#props;
    return {
      name: deploymentName ?? Names.uniqueResourceName(this, { maxLength: 100, separator: '-' }),
      tables: Object.fromEntries(
        Object.entries(this.tables).map(([name, table]) => [name, { name: table.tableName, arn: table.tableArn }]),
      ) as unknown as DeploymentReferences['tables'],
      workers: Object.fromEntries([...queues].map(([worker, { references }]) => [worker, references])),
      settings,
      ...defined({ history, metrics }),
      ...(events === undefined ? {} : { events: eventReferences(events) }),
      ...(encryptionKey === undefined ? {} : { encryptionKeyArn: encryptionKey.keyArn }),
      stackArn: Stack.of(this).stackId,
    };
  }

  #makeFailedTicks(): Queue {
    const queue = new Queue(this, 'FailedTicks', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    acknowledge(queue, 'deadLetterQueue');
    return queue;
  }

  #worker(worker: string, { props, overrides, settings, lanes }: WorkerPlan, queues: ReadonlyMap<string, WorkerQueues>): DeployedWorker {
    const own = queues.get(worker) ?? refuse('workers', `${worker} has no queues.`);
    if (props.outside === true) return { queues: own, overrides, mappings: [] };
    checkReserved(worker, props, this.#props.functionProps, concurrencyOf(lanes) + (own.fifo === undefined ? 0 : settings.maxConcurrency));
    const { fn, mappings } = new ExecutorFunction(this.node.findChild(`Worker-${worker}`), 'Executor', {
      worker,
      code: props.code ?? executorCode(props.entry ?? '', `workers.${worker}.entry`, unusedPackages(this.#props.events)),
      ...defined({ handler: props.handler }),
      queues: own,
      lanes,
      settings,
      deployment: this.references,
      environment: this.#environment(overrides, worker),
      active: this.#active,
      choices: this.#choices(props),
    });
    return { queues: own, overrides, fn, mappings };
  }

  #environment(settings: Readonly<Record<string, number>>, worker?: string): Record<string, string> {
    return deploymentEnvironment(this.references, { settings, withBus: true, ...defined({ worker }) });
  }

  #duty(settings: Settings): DutyOptions {
    return {
      settings,
      deployment: this.references,
      environment: { ...this.#environment(this.references.settings), ...tickMetrics(this.#props, () => this.#metricsAsked) },
      failedTicks: this.failedTicks,
      choices: this.#choices(),
    };
  }

  #ticks(settings: Settings): Ticks {
    const { acquirers, acquirerIntervalMs, sweeperIntervalMs } = settings;
    return new Ticks(this, 'Ticks', {
      ticks: [
        ...acquirerTicks(this.acquirerFunction, acquirers, acquirerIntervalMs),
        { id: 'Sweeper', description: 'Starts the sweeper.', fn: this.sweeperFunction, everyMs: sweeperIntervalMs, input: {} },
      ],
      source: this.#props.ticks ?? 'schedules',
      active: this.#active,
      failedTicks: this.failedTicks,
    });
  }

  #watched() {
    return {
      deployment: this.deploymentName,
      tables: this.tables,
      workers: this.workers,
      acquirer: this.acquirerFunction,
      sweeper: this.sweeperFunction,
    };
  }

  get #runbook(): string {
    return this.#props.alarmOptions?.runbook ?? 'docs/operate/runbook.md';
  }

  #alarms(settings: Settings): Alarms {
    const { topic, actions = [], oldestReadyAge, timerLag } = this.#props.alarmOptions ?? {};
    return new Alarms(this, 'Alarms', {
      ...this.#watched(),
      settings,
      ownMetrics: this.#props.metrics !== 'off',
      active: this.#active,
      choices: {
        actions: [...(topic === undefined ? [] : [new SnsAction(topic)]), ...actions],
        runbook: this.#runbook,
        oldestReadyAge: oldestReadyAge ?? Duration.minutes(15),
        timerLag: timerLag ?? Duration.minutes(2),
      },
    });
  }
}
