import { Arn, ArnFormat, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Ticks } from './ticks.ts';

/** The resources that are switched off and on. */
export interface Switched extends Construct {
  readonly ticks: Ticks;
  readonly workers: ReadonlyMap<string, { readonly mappings: readonly CfnEventSourceMapping[] }>;
}

/** Permission to read and change the ticks and event sources of this deployment only. */
export function grantActivation(deployment: Switched, grantee: IGrantable): Grant {
  const { schedules, role } = deployment.ticks;
  const mappings = [...deployment.workers.values()].flatMap((worker) => worker.mappings);
  const wanted: readonly (readonly [actions: string[], resourceArns: string[]])[] = [
    [['scheduler:GetSchedule', 'scheduler:UpdateSchedule'], schedules.map((schedule) => schedule.attrArn)],
    // An update replaces a schedule as a whole, its role with it.
    [['iam:PassRole'], role === undefined ? [] : [role.roleArn]],
    [['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'], mappings.map((mapping) => arnOf(mapping))],
  ];
  const granted = wanted.filter(([, resourceArns]) => resourceArns.length > 0);
  return granted
    .map(([actions, resourceArns]) => Grant.addToPrincipal({ grantee, actions, resourceArns }))
    .reduce((all, one) => all.combine(one), Grant.drop(grantee, 'nothing to switch'));
}

function arnOf(mapping: CfnEventSourceMapping): string {
  return Arn.format(
    { service: 'lambda', resource: 'event-source-mapping', resourceName: mapping.ref, arnFormat: ArnFormat.COLON_RESOURCE_NAME },
    Stack.of(mapping),
  );
}
