import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct, type IConstruct } from 'constructs';
import { variableNames } from '../shared/config/connection-name.ts';
import { defined } from '../shared/job/defined.ts';
import type { MetricName } from '../shared/adapters/observability/names.ts';
import { checkConnect } from './connect-checks.ts';
import { setEnvironment } from './connected-environment.ts';
import { deploymentEnvironment } from './deployment-environment.ts';
import { grant, type GrantKind } from './grants.ts';
import { checkMetric, deploymentMetric, type JobMetricOptions } from './metrics.ts';
import type { DeploymentReferences } from './references.ts';

/** How a function is connected. */
export interface ConnectOptions {
  /**
   * Name of the connection, for a function that uses several deployments: a letter, then letters or digits. The function names it in
   * `createJobClient({ deployment })` or `createAdmin({ deployment })`.
   * @default - none; one connection of a function needs none
   */
  readonly name?: string;
  /**
   * Whether the function may also cancel and reschedule jobs, and replace any holder of a key (`onConflict`).
   * @default false
   */
  readonly cancel?: boolean;
}

/** How an operator function is connected. */
export type ConnectOperatorOptions = Pick<ConnectOptions, 'name'>;

/** The result of connecting a grantee. */
export interface Connection {
  readonly grant: Grant;
  /**
   * The variables that `createJobClient()` or `createAdmin()` reads. A function of this app has them already. Set them yourself for
   * anything else: a container whose task role was connected, or a function that is only imported.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/** A job executor, deployed by this app or by another one. */
export interface IJobExecutor extends IConstruct {
  /** Distinguishes this deployment's metrics from those of others in the account. */
  readonly deploymentName: string;
  /**
   * Lets a function enqueue jobs: permissions and environment. `createJobClient()` in it needs nothing else. Takes functions, their
   * aliases and versions, and every other grantee, whose environment you set from what it returns. Variables that the function has of this
   * deployment stay, so an executor can be connected too. One that belongs to another deployment is refused: give the connection a `name`.
   */
  connect(grantee: IGrantable, options?: ConnectOptions): Connection;
  /** Lets a function operate the deployment: permissions and environment. `createAdmin()` in it needs nothing else. */
  connectOperator(grantee: IGrantable, options?: ConnectOperatorOptions): Connection;
  /** Permissions to enqueue, look up and prepare jobs; for a function use `connect`, which sets its environment as well. */
  grantEnqueue(grantee: IGrantable): Grant;
  /** As `grantEnqueue`, and to cancel and reschedule. */
  grantCancel(grantee: IGrantable): Grant;
  /** Permissions to read everything and change nothing. */
  grantRead(grantee: IGrantable): Grant;
  /** As `grantRead`, and to redrive, suspend, resume, edit and cancel. */
  grantOperate(grantee: IGrantable): Grant;
  /** Any metric of the deployment; a count is summed unless `options` say otherwise. */
  metric(name: MetricName, options?: JobMetricOptions): Metric;
  metricJobsEnqueued(options?: JobMetricOptions): Metric;
  metricJobsCompleted(options?: JobMetricOptions): Metric;
  metricJobsFailed(options?: JobMetricOptions): Metric;
  metricJobsRetried(options?: JobMetricOptions): Metric;
  metricJobsDeadLettered(options?: JobMetricOptions): Metric;
  /** From due to start, in milliseconds. */
  metricQueueDelay(options?: JobMetricOptions): Metric;
  /** How long handlers ran, in milliseconds. */
  metricRunTime(options?: JobMetricOptions): Metric;
  /** From due to fired, in milliseconds; negative where a timer was fired ahead of its time, with a delayed hint. */
  metricTimerLag(options?: JobMetricOptions): Metric;
  /** Age of the oldest job that is due and waits, in milliseconds. */
  metricOldestReadyAge(options?: JobMetricOptions): Metric;
}

/** The methods of a deployment, created here or imported: they only use its references. */
export abstract class JobExecutorBase extends Construct implements IJobExecutor {
  /** Set by the subclass when its constructor is done. */
  protected abstract readonly references: DeploymentReferences;

  get deploymentName(): string {
    return this.references.name;
  }

  connect(grantee: IGrantable, options: ConnectOptions = {}): Connection {
    checkConnect(this, { verb: 'connect', grantee, options, known: ['name', 'cancel'] });
    const { cancel = false, name } = options;
    const names = variableNames(name, 'name');
    const variables = deploymentEnvironment(this.references, { withBus: false, names });
    setEnvironment(grantee, { deployment: this.deploymentName, variables, names });
    return { grant: this.grant(cancel ? 'cancel' : 'enqueue', grantee), environment: variables };
  }

  connectOperator(grantee: IGrantable, options: ConnectOperatorOptions = {}): Connection {
    checkConnect(this, { verb: 'connectOperator', grantee, options, known: ['name'] });
    const names = variableNames(options.name, 'name');
    const variables = deploymentEnvironment(this.references, { withBus: false, deadLetterQueues: 'all', names });
    // Includes the dead-letter queues of all workers. Clients and executors do not get these.
    setEnvironment(grantee, { deployment: this.deploymentName, variables, names, knowing: [names.workers] });
    return { grant: this.grant('operate', grantee), environment: variables };
  }

  grantEnqueue(grantee: IGrantable): Grant {
    return this.grant('enqueue', grantee);
  }

  grantCancel(grantee: IGrantable): Grant {
    return this.grant('cancel', grantee);
  }

  grantRead(grantee: IGrantable): Grant {
    return this.grant('read', grantee);
  }

  grantOperate(grantee: IGrantable): Grant {
    return this.grant('operate', grantee);
  }

  protected grant(kind: GrantKind, grantee: IGrantable, worker?: string): Grant {
    return grant(this, this.references, { kind, grantee, ...defined({ worker }) });
  }

  metric(name: MetricName, options?: JobMetricOptions): Metric {
    checkMetric(this, this.references, name, options);
    return deploymentMetric(this.deploymentName, name, options);
  }

  metricJobsEnqueued(options?: JobMetricOptions): Metric {
    return this.metric('JobsEnqueued', options);
  }

  metricJobsCompleted(options?: JobMetricOptions): Metric {
    return this.metric('JobsCompleted', options);
  }

  metricJobsFailed(options?: JobMetricOptions): Metric {
    return this.metric('JobsFailed', options);
  }

  metricJobsRetried(options?: JobMetricOptions): Metric {
    return this.metric('JobsRetried', options);
  }

  metricJobsDeadLettered(options?: JobMetricOptions): Metric {
    return this.metric('JobsDeadLettered', options);
  }

  metricQueueDelay(options?: JobMetricOptions): Metric {
    return this.metric('QueueDelay', options);
  }

  metricRunTime(options?: JobMetricOptions): Metric {
    return this.metric('RunTime', options);
  }

  metricTimerLag(options?: JobMetricOptions): Metric {
    return this.metric('TimerLag', options);
  }

  metricOldestReadyAge(options?: JobMetricOptions): Metric {
    return this.metric('OldestReadyAge', options);
  }

  /** The environment variables that `createJobClient()` reads, for functions that are not connected by `connect`. */
  clientEnvironment(): Record<string, string> {
    return deploymentEnvironment(this.references, { withBus: false });
  }

  /** The environment variables that `createAdmin()` and the CLI read. */
  operatorEnvironment(): Record<string, string> {
    return deploymentEnvironment(this.references, { withBus: false, deadLetterQueues: 'all' });
  }
}
