import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import { ENVIRONMENT } from '../shared/config/environment.ts';
import type { MetricName } from '../shared/adapters/observability/names.ts';
import { lackingVariables } from './connected-environment.ts';
import { deploymentEnvironment } from './deployment-environment.ts';
import { watchEnvironmentSize } from './environment-size.ts';
import { grant } from './grants.ts';
import { deploymentMetric, type JobMetricOptions } from './metrics.ts';
import type { DeploymentReferences } from './references.ts';

/** What a connected function may do in addition to enqueueing. */
export interface ConnectOptions {
  /**
   * Whether the function may also cancel and reschedule jobs.
   * @default false
   */
  readonly cancel?: boolean;
}

/** A job executor, deployed by this app or by another one. */
export interface IJobExecutor extends IConstruct {
  /** Tells this deployment's metrics from those of others in the account. */
  readonly deploymentName: string;
  /**
   * Lets a function enqueue jobs: permissions and environment. `createJobClient()` in it needs nothing else. Variables that the function
   * has of this deployment stay, so an executor can be connected too; one that belongs to another deployment is refused.
   */
  connect(fn: LambdaFunction, options?: ConnectOptions): void;
  /** Lets a function operate the deployment: permissions and environment. `createAdmin()` in it needs nothing else. */
  connectOperator(fn: LambdaFunction): void;
  /** Permissions to enqueue, look up and prepare jobs; for a function use `connect`, which sets its environment as well. */
  grantEnqueue(grantee: IGrantable): Grant;
  /** As `grantEnqueue`, and to cancel and reschedule. */
  grantCancel(grantee: IGrantable): Grant;
  /** Permissions to look at everything and change nothing. */
  grantRead(grantee: IGrantable): Grant;
  /** As `grantRead`, and to redrive, suspend, activate, edit and cancel. */
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

/** What a deployment offers whether it is made here or elsewhere: all of it follows from its references. */
export abstract class JobExecutorBase extends Construct implements IJobExecutor {
  /** Set by the subclass when its constructor is done. */
  protected abstract readonly references: DeploymentReferences;

  get deploymentName(): string {
    return this.references.name;
  }

  connect(fn: LambdaFunction, { cancel = false }: ConnectOptions = {}): void {
    grant(cancel ? 'cancel' : 'enqueue', this.references, fn);
    this.#setEnvironment(fn, this.clientEnvironment());
  }

  connectOperator(fn: LambdaFunction): void {
    grant('operate', this.references, fn);
    // With the dead-letter queues of all workers, which neither a client nor an executor is told.
    this.#setEnvironment(fn, this.operatorEnvironment(), [ENVIRONMENT.workers]);
  }

  grantEnqueue(grantee: IGrantable): Grant {
    return grant('enqueue', this.references, grantee);
  }

  grantCancel(grantee: IGrantable): Grant {
    return grant('cancel', this.references, grantee);
  }

  grantRead(grantee: IGrantable): Grant {
    return grant('read', this.references, grantee);
  }

  grantOperate(grantee: IGrantable): Grant {
    return grant('operate', this.references, grantee);
  }

  metric(name: MetricName, options?: JobMetricOptions): Metric {
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

  #setEnvironment(fn: LambdaFunction, variables: Readonly<Record<string, string>>, knowing: readonly string[] = []): void {
    for (const [name, value] of lackingVariables(fn, this.deploymentName, variables, knowing)) fn.addEnvironment(name, value);
    watchEnvironmentSize(fn);
  }
}
