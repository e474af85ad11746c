import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  type Code,
  Function as LambdaFunction,
  type FunctionOptions,
  LoggingFormat,
  type RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { defined } from '../shared/job/defined.ts';
import { acknowledge } from './acknowledgements.ts';
import { BUNDLE_HANDLER } from './bundle.ts';
import { watchEnvironmentSize } from './environment-size.ts';

/** Choices that all functions of a deployment share. */
export interface FunctionChoices {
  readonly logRetention?: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly tracing?: Tracing;
  /** Key for log groups and environment variables. */
  readonly encryptionKey?: IKey;
  /** Overrides of the defaults, such as `vpc` or `layers`. */
  readonly functionProps?: FunctionOptions;
}

/** Props of one function. */
export interface FunctionSpec {
  readonly description: string;
  readonly code: Code;
  readonly handler?: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly PolicyStatement[];
  /** Where events go that asynchronous invocation gives up on. Absent for a function that is only invoked synchronously. */
  readonly deadLetterQueue?: IQueue;
  readonly recursiveLoop?: RecursiveLoop;
}

/** What Lambda does with the role of a function in a VPC. AWS's managed policy has these too, and the right to create and write every log group. */
const NETWORK_INTERFACES = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** A function with a role of its own, exact statements, an explicit log group and a runtime as our bundles expect it. */
export function createFunction(scope: Construct, spec: FunctionSpec, choices: FunctionChoices): LambdaFunction {
  const { encryptionKey } = choices;
  const functionProps: FunctionOptions = defined(choices.functionProps ?? {});
  const logGroup = createLogGroup(scope, functionProps.logGroup, choices);
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const statement of spec.statements) role.addToPolicy(statement);
  if (functionProps.vpc !== undefined) {
    role.addToPolicy(new PolicyStatement({ actions: NETWORK_INTERFACES, resources: ['*'] }));
    acknowledge(role, 'anyResource');
  }
  const fn = new LambdaFunction(scope, 'Function', {
    description: spec.description,
    code: spec.code,
    handler: spec.handler ?? BUNDLE_HANDLER,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: spec.memoryMb,
    tracing: choices.tracing ?? Tracing.ACTIVE,
    loggingFormat: LoggingFormat.JSON,
    ...defined({ recursiveLoop: spec.recursiveLoop, environmentEncryption: encryptionKey }),
    role,
    // An earlier version stays, so that pointing the alias back at it rolls back without a deployment.
    currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    ...functionProps,
    logGroup,
    timeout: Duration.millis(spec.timeoutMs),
    ...defined({ deadLetterQueue: spec.deadLetterQueue }),
    environment: { NODE_OPTIONS: '--enable-source-maps', ...spec.environment, ...defined(functionProps.environment ?? {}) },
  });
  watchEnvironmentSize(fn);
  return fn;
}

/** The log group of a function: `given`, or one of its own. */
function createLogGroup(scope: Construct, given: FunctionOptions['logGroup'], choices: FunctionChoices): ILogGroup {
  // Of a lower-level construct, too, which cannot grant.
  if (given !== undefined) return LogGroup.fromLogGroupName(scope, 'Logs', given.logGroupRef.logGroupName);
  return new LogGroup(scope, 'Logs', {
    retention: choices.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: choices.removalPolicy,
    ...defined({ encryptionKey: choices.encryptionKey }),
  });
}
