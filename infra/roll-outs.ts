import { Duration } from 'aws-cdk-lib';
import { type Alarm, type IAlarm, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type ILambdaDeploymentConfig, LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { defined } from '../shared/job/defined.ts';
import { acknowledge } from './acknowledgements.ts';
import { type AlarmTerms, createAlarm } from './alarm.ts';
import { checkShape, hasText, listCheck, type PropsShape, valid } from './option-checks.ts';

/** How a release takes over from the one before. */
export interface DeploymentProps {
  /**
   * How CodeDeploy shifts invocations to the new version.
   * @default LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES
   */
  readonly config?: ILambdaDeploymentConfig;
  /**
   * Further alarms that stop the deployment and roll it back, besides `release-errors` of each function. One that rings already stops
   * every deployment.
   * @default - none
   */
  readonly alarms?: readonly IAlarm[];
  /**
   * A function that CodeDeploy invokes before it shifts the first invocation of a worker.
   * @default - none
   */
  readonly preHook?: IFunction;
  /**
   * A function that CodeDeploy invokes when all invocations of a worker go to the new version.
   * @default - none
   */
  readonly postHook?: IFunction;
}

/** A function that a release replaces. */
export interface Released {
  /** A worker's name, or `Acquirer`, `Sweeper`, `Cleaner` or `ExternalApi`: no worker's name has capitals. */
  readonly name: string;
  readonly alias: Alias;
  /** Hooks are for executors only: they try the user's code. */
  readonly executor: boolean;
}

/** What the deployment groups of a job executor are made from. */
export interface RollOutsOptions {
  readonly props: DeploymentProps;
  readonly released: readonly Released[];
  readonly alarms: AlarmTerms;
}

const checkHook = valid(hasText('functionArn'), 'Use new Function(...), or Function.fromFunctionArn(...).');

const DEPLOYMENT: PropsShape<DeploymentProps> = {
  of: 'a deployment',
  example: '{ config: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES }',
  checks: {
    config: valid(hasText('deploymentConfigName'), 'Use one of LambdaDeploymentConfig.'),
    alarms: listCheck(valid(hasText('alarmName'), 'Use metric.createAlarm(...), or Alarm.fromAlarmArn(...).')),
    preHook: checkHook,
    postHook: checkHook,
  },
};

/** Refuses options that there are not, and values of another type. */
export function checkDeployment(field: string, props: unknown): void {
  checkShape(field, props, DEPLOYMENT);
}

/** Shifts each function to its new version step by step, and back when the new version fails. */
export class RollOuts extends Construct {
  /** By worker; `Acquirer`, `Sweeper`, `Cleaner` and `ExternalApi` have one as well. */
  readonly groups: ReadonlyMap<string, LambdaDeploymentGroup>;
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { props, released, alarms }: RollOutsOptions) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const watched = released.map((one) => ({ ...one, alarm: createAlarm(this, releaseErrors(one), alarms) }));
    this.alarms = watched.map(({ alarm }) => alarm);
    this.groups = new Map(
      watched.map(({ name, alias, executor, alarm }) => {
        const group = new LambdaDeploymentGroup(this, `Group-${name}`, {
          application,
          alias,
          deploymentConfig: props.config ?? LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
          alarms: [alarm, ...(props.alarms ?? [])],
          ...(executor ? defined({ preHook: props.preHook, postHook: props.postHook }) : {}),
        });
        acknowledge(group.role, 'codeDeploy');
        // The alarm has to watch the new version before the first invocation goes to it.
        alias.node.addDependency(alarm);
        return [name, group] as const;
      }),
    );
  }
}

/**
 * Errors of the new version alone: those of the version before must not stop the release that fixes them. The version is part of the
 * dimensions, so each release has an alarm that has seen nothing yet.
 */
function releaseErrors({ name, alias }: Released) {
  const metric = alias.metricErrors({
    statistic: Stats.SUM,
    period: Duration.minutes(1),
    dimensionsMap: {
      FunctionName: alias.lambda.functionName,
      Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: alias.version.version,
    },
  });
  return { name: 'release-errors', of: name, metric, threshold: 1 } as const;
}
