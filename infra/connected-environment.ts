import { Annotations, CfnResource, Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Function as LambdaFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { refuse } from '../shared/config/deployment-checks.ts';
import type { VariableNames } from '../shared/config/environment.ts';
import { watchEnvironmentSize } from './environment-size.ts';

/** The environment variables of a connected function. */
export interface ConnectedEnvironment {
  /** Name of the deployment. A function of another one is refused. */
  readonly deployment: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Names of the variables, with the name of this connection. */
  readonly names: VariableNames;
  /** Variables that contain more than any other function's, and replace them. */
  readonly knowing?: readonly string[];
}

/** Sets the variables in a function of this app. Warns of a function that is only imported; other grantees have no environment. */
export function setEnvironment(grantee: IGrantable, connected: ConnectedEnvironment): void {
  const fn = functionOf(grantee);
  if (fn === undefined) return;
  const { defaultChild } = fn.permissionsNode;
  if (!isCfnFunction(defaultChild) || !hasEnvironment(fn)) return warnOfImported(fn, connected);
  for (const [name, value] of lackingVariables(fn, defaultChild, connected)) fn.addEnvironment(name, value);
  watchEnvironmentSize(fn, defaultChild);
}

/** The function that a grantee is, or whose alias or version it is. */
export function functionOf(grantee: IGrantable): IFunction | undefined {
  if ('lambda' in grantee) return functionOf(grantee.lambda as IGrantable);
  return 'functionArn' in grantee ? (grantee as IFunction) : undefined;
}

function isCfnFunction(child: IConstruct | undefined): child is CfnFunction {
  return child !== undefined && CfnResource.isCfnResource(child) && child.cfnResourceType === CfnFunction.CFN_RESOURCE_TYPE_NAME;
}

function hasEnvironment(fn: IFunction): fn is LambdaFunction {
  return 'addEnvironment' in fn;
}

function warnOfImported(fn: IFunction, { names }: ConnectedEnvironment): void {
  Annotations.of(fn).addWarningV2(
    'nightcrew:imported-function',
    `connect: ${fn.node.path} is imported, so its environment cannot be set here. ` +
      `Set ${names.tables}, ${names.workers} and the other variables that connect() returns where the function is deployed.`,
  );
}

/**
 * The variables of a deployment that a function does not have yet, and those of `knowing`. For the rest, a function that already belongs
 * to the deployment keeps its own: an executor has more than a client. Refuses a function of another deployment, whose tables it would lose.
 */
function lackingVariables(
  fn: LambdaFunction,
  resource: CfnFunction,
  { deployment, variables, names, knowing = [] }: ConnectedEnvironment,
): readonly (readonly [string, string])[] {
  const stack = Stack.of(fn);
  const { environment } = resource;
  const present = ((stack.resolve(environment) ?? {}) as { readonly variables?: Readonly<Record<string, unknown>> }).variables ?? {};
  if (!Object.values(names).some((name) => name in present)) return Object.entries(variables);
  const other = JSON.stringify(present[names.deployment] ?? 'another');
  if (other !== JSON.stringify(stack.resolve(deployment))) {
    refuse(
      'connect',
      `${fn.node.path} belongs to deployment ${other} already. Give this connection a name, connect(fn, { name: 'billing' }), ` +
        `and its client the same, createJobClient({ deployment: 'billing' }).`,
    );
  }
  if (JSON.stringify(present[names.tables]) !== JSON.stringify(stack.resolve(variables[names.tables]))) {
    refuse(
      'connect',
      `${fn.node.path} belongs to another deployment that is called ${other} too. Give each a deploymentName of its own, or this connection a name.`,
    );
  }
  // Settings that an executor leaves out are the defaults, and a client's would change them.
  return Object.entries(variables).filter(([name]) => knowing.includes(name));
}
