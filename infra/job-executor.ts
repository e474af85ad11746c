import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Alarm, Dashboard, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { Alias, CfnEventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { refuse } from '../shared/config/deployment-checks.ts';
import type { Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/job/defined.ts';
import type { MetricName } from '../shared/adapters/observability/names.ts';
import { acknowledge } from './acknowledgements.ts';
import type { AlarmTerms } from './alarm.ts';
import { Alarms } from './alarms.ts';
import { executorCode } from './bundle.ts';
import { createDashboard } from './dashboard.ts';
import { deploymentEnvironment } from './deployment-environment.ts';
import { deploymentAttributes, deploymentReferences, referWeakly } from './deployment-references.ts';
import { ExecutorFunction } from './executor-function.ts';
import { ExternalApi } from './external-api.ts';
import type { FunctionChoices } from './function-defaults.ts';
import { grantActivation } from './activation-grant.ts';
import type { JobExecutorAttributes } from './attributes.ts';
import { ImportedJobExecutor } from './imported-job-executor.ts';
import { type IJobExecutor, JobExecutorBase } from './job-executor-base.ts';
import type { JobExecutorProps, WorkerProps } from './job-executor-props.ts';
import { concurrencyOf } from './lane-plan.ts';
import { createMaintenance } from './maintenance.ts';
import { grantKeyUse } from './key-policy.ts';
import type { JobMetricOptions } from './metrics.ts';
import { createOutputs } from './outputs.ts';
import { createPayloadBucket } from './payload-bucket.ts';
import { checkProps } from './props-checks.ts';
import { WorkerQueues } from './queues.ts';
import { unusedPackages } from './event-references.ts';
import type { DeploymentReferences } from './references.ts';
import { RollOuts } from './roll-outs.ts';
import { checkedSettings, settingValues } from './settings.ts';
import { createTables, type Tables } from './tables.ts';
import { METRICS_ON, silentTicks, tickMetrics } from './tick-metrics.ts';
import type { Ticks } from './ticks.ts';
import { checkReserved } from './worker-checks.ts';
import { planWorkers, type WorkerPlan } from './worker-plan.ts';

/** The resources of a worker: its queues, its function and its event sources. */
export interface DeployedWorker {
  readonly queues: WorkerQueues;
  /** Settings of its own and of the deployment, where they differ from the defaults. */
  readonly overrides: Readonly<Record<string, number>>;
  /** Absent for a worker outside Lambda. */
  readonly fn?: LambdaFunction;
  /** The published version that the event sources invoke. */
  readonly alias?: Alias;
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
  /** Large payloads; absent without `largePayloads`. */
  readonly payloadBucket?: Bucket;
  /** Absent without `largePayloads`. */
  readonly cleanerFunction?: LambdaFunction;
  /** Absent without `externalApi`. */
  readonly externalApi?: ExternalApi;
  readonly alarms: readonly Alarm[];
  readonly dashboard?: Dashboard;
  /** By worker, and for `Acquirer`, `Sweeper`, `Cleaner` and `ExternalApi` where there are such; empty without `deployment`. */
  readonly deploymentGroups: ReadonlyMap<string, LambdaDeploymentGroup>;
  protected readonly references: DeploymentReferences;
  readonly #props: JobExecutorProps;

  constructor(scope: Construct, id: string, props: JobExecutorProps) {
    super(scope, id);
    this.#props = props;
    checkProps(this, props);
    const overrides = settingValues(props.settings);
    const settings = checkedSettings(overrides);
    const plans = planWorkers(props, overrides);
    this.tables = createTables(new Construct(this, 'Tables'), {
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      ...defined({ encryptionKey: props.encryptionKey, props: props.tableProps, tables: props.tables }),
    });
    const queues = new Map([...plans].map(([worker, plan]) => [worker, this.#queues(worker, plan)]));
    const payloads = this.#payloadBucket();
    if (payloads !== undefined) this.payloadBucket = payloads;
    const parts = { tables: this.tables, queues, props, ...defined({ payloads }) };
    referWeakly(parts);
    if (props.encryptionKey !== undefined)
      grantKeyUse(this, { key: props.encryptionKey, rules: props.ticks === 'rules', payloads: payloads !== undefined });
    this.references = deploymentReferences(this, parts, overrides);
    this.workers = new Map([...plans].map(([worker, plan]) => [worker, this.#worker(worker, plan, queues)]));
    const { acquirer, sweeper, cleaner, failedTicks, ticks } = createMaintenance(this, {
      settings,
      deployment: this.references,
      environment: { ...this.#environment(this.references.settings), ...tickMetrics(this.#props) },
      choices: (own) => this.#choices(own),
      props,
      active: this.#active,
    });
    this.acquirerFunction = acquirer.fn;
    this.sweeperFunction = sweeper.fn;
    this.failedTicks = failedTicks;
    this.ticks = ticks;
    const externalApi = this.#externalApi();
    if (externalApi !== undefined) this.externalApi = externalApi;
    if (cleaner !== undefined) this.cleanerFunction = cleaner.fn;
    const optional = defined({ Cleaner: cleaner?.alias, ExternalApi: externalApi?.alias });
    const rollOuts = this.#rollOuts({ Acquirer: acquirer.alias, Sweeper: sweeper.alias, ...optional });
    this.deploymentGroups = rollOuts?.groups ?? new Map();
    this.alarms = [...(rollOuts?.alarms ?? []), ...(props.alarms === false ? [] : this.#alarms(settings).all)];
    if (props.dashboard !== false)
      this.dashboard = createDashboard(this, { ...this.#watched(), alarms: this.alarms, runbook: this.#alarmTerms.runbook });
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
    return this.grant('run', grantee, worker);
  }

  /**
   * Lets a person or a pipeline switch the deployment off and on, by `createActivation` or the CLI. Not for the deployment's own functions:
   * their event sources are part of it.
   */
  grantActivate(grantee: IGrantable): Grant {
    return grantActivation(this, grantee);
  }

  /**
   * Lets a principal call the external API at `externalApi.functionUrl`: every verb of it, and the function in no other way. Throws
   * InvalidConfigurationError without `externalApi`, and for a principal that is everybody.
   */
  grantExternalApi(grantee: IGrantable): Grant {
    return (this.externalApi ?? refuse('externalApi', 'the deployment has none. Set externalApi: true.')).grant(grantee);
  }

  /** The environment variables that `runWorker` and `external` read; for workers outside Lambda they are an output of the stack too. */
  workerEnvironment(worker: string): Record<string, string> {
    return this.#environment(this.#known(worker).overrides, worker);
  }

  #known(worker: string): DeployedWorker {
    return this.workers.get(worker) ?? refuse('worker', `${worker} is not a worker. Known are: ${[...this.workers.keys()].join(', ')}.`);
  }

  override metric(name: MetricName, options?: JobMetricOptions): Metric {
    const metric = super.metric(name, options);
    if (silentTicks(this.#props)) refuse('metric', `acquirer and sweeper publish none, so ${name} lacks their part. ${METRICS_ON}`);
    return metric;
  }

  /** The attributes for `fromJobExecutorAttributes` in another stack. */
  get attributes(): JobExecutorAttributes {
    const queues = new Map([...this.workers].map(([worker, one]) => [worker, one.queues]));
    const payloads = this.payloadBucket;
    return deploymentAttributes(this.deploymentName, { tables: this.tables, queues, props: this.#props, ...defined({ payloads }) });
  }

  /** The resources that `createActivation` switches; the stack's output `Activation` has the values. */
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

  #choices(own?: Pick<WorkerProps, 'environment' | 'functionProps'>): FunctionChoices {
    const { logRetention, tracing, functionProps, encryptionKey, removalPolicy = RemovalPolicy.RETAIN } = this.#props;
    return {
      removalPolicy,
      ...defined({ logRetention, tracing, encryptionKey }),
      functionProps: {
        ...functionProps,
        ...defined(own?.functionProps ?? {}),
        environment: {
          ...functionProps?.environment,
          ...defined(own?.environment ?? {}),
          ...defined(own?.functionProps?.environment ?? {}),
        },
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
      ...defined({ timeoutMs, encryptionKey, formerly: props.formerly }),
    });
    for (const queue of queues.deadLetterQueues) acknowledge(queue, 'deadLetterQueue');
    return queues;
  }

  #worker(worker: string, { props, overrides, settings, lanes }: WorkerPlan, queues: ReadonlyMap<string, WorkerQueues>): DeployedWorker {
    const own = queues.get(worker) ?? refuse('workers', `${worker} has no queues.`);
    if (props.outside === true) return { queues: own, overrides, mappings: [] };
    checkReserved(worker, props, concurrencyOf([...Object.values(lanes.capacities), ...(own.fifo === undefined ? [] : [lanes.fifo])]));
    const { fn, alias, mappings } = new ExecutorFunction(this.node.findChild(`Worker-${worker}`), 'Executor', {
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
    return { queues: own, overrides, fn, alias, mappings };
  }

  #payloadBucket(): Bucket | undefined {
    const { largePayloads = false, removalPolicy = RemovalPolicy.RETAIN, encryptionKey } = this.#props;
    if (largePayloads === false) return undefined;
    return createPayloadBucket(this, { removalPolicy, ...defined({ encryptionKey }) });
  }

  #externalApi(): ExternalApi | undefined {
    const { externalApi = false, workers } = this.#props;
    if (externalApi === false) return undefined;
    return new ExternalApi(this, 'ExternalApi', {
      workers: Object.keys(workers).filter((name) => workers[name]?.outside === true),
      deployment: this.references,
      choices: this.#choices(externalApi === true ? undefined : externalApi),
    });
  }

  #environment(settings: Readonly<Record<string, number>>, worker?: string): Record<string, string> {
    return deploymentEnvironment(this.references, { settings, withBus: true, ...defined({ worker }) });
  }

  #rollOuts(own: Readonly<Record<string, Alias>>): RollOuts | undefined {
    const { deployment } = this.#props;
    if (deployment === undefined) return undefined;
    const executors = [...this.workers].flatMap(([name, { alias }]) => (alias === undefined ? [] : { name, alias, executor: true }));
    const released = [...executors, ...Object.entries(own).map(([name, alias]) => ({ name, alias, executor: false }))];
    return new RollOuts(this, 'RollOuts', { props: deployment, released, alarms: this.#alarmTerms });
  }

  #watched() {
    return {
      deployment: this.deploymentName,
      tables: this.tables,
      workers: this.workers,
      acquirer: this.acquirerFunction,
      sweeper: this.sweeperFunction,
      failedTicks: this.failedTicks,
    };
  }

  get #alarmTerms(): AlarmTerms {
    const { topic, actions = [], runbook = 'docs/operate/runbook.md' } = this.#props.alarmOptions ?? {};
    return { actions: [...(topic === undefined ? [] : [new SnsAction(topic)]), ...actions], runbook, active: this.#active };
  }

  #alarms(settings: Settings): Alarms {
    const { oldestReadyAge = Duration.minutes(15), timerLag = Duration.minutes(2) } = this.#props.alarmOptions ?? {};
    return new Alarms(this, 'Alarms', {
      ...this.#watched(),
      settings,
      ownMetrics: this.#props.metrics !== 'off',
      thresholds: { oldestReadyAge, timerLag },
      terms: this.#alarmTerms,
    });
  }
}
