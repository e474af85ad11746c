import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { ManagedPolicy, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
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
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { refuse } from '../shared/config/deployment-checks.ts';
import { defined } from '../shared/core/defined.ts';
import { BUNDLE_HANDLER } from './bundle.ts';
import { watchEnvironmentSize } from './environment-size.ts';

/** Choices that all functions of a deployment share. */
export interface FunctionChoices {
  readonly logRetention?: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly tracing?: Tracing;
  /** Overrides of what is set here, such as `vpc` or `layers`. */
  readonly functionProps?: FunctionOptions;
}

/** What one function is. */
export interface FunctionSpec {
  readonly description: string;
  readonly code: Code;
  readonly handler?: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly statements: readonly PolicyStatement[];
  /** Where events go that asynchronous invocation gives up on. */
  readonly deadLetterQueue: IQueue;
  readonly recursiveLoop?: RecursiveLoop;
}

/** Props that are not for overriding, and what to do instead. */
const FIXED = {
  timeout: 'Leases follow from it: use settings.executorTimeout, acquirerTimeout or sweeperTimeout.',
  memorySize: 'Use settings.executorMemory, acquirerMemory or sweeperMemory.',
  role: 'Each function has a role of its own: add to it with addToRolePolicy.',
} as const;

/** A function with a role of its own, exact statements, an explicit log group and a runtime as our bundles expect it. */
export function createFunction(scope: Construct, spec: FunctionSpec, choices: FunctionChoices): LambdaFunction {
  const { functionProps = {} } = choices;
  refuseFixed(functionProps);
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: choices.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: choices.removalPolicy,
  });
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const statement of spec.statements) role.addToPolicy(statement);
  if (functionProps.vpc !== undefined) {
    role.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaVPCAccessExecutionRole'));
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
    ...defined({ recursiveLoop: spec.recursiveLoop }),
    role,
    logGroup,
    ...functionProps,
    timeout: Duration.millis(spec.timeoutMs),
    deadLetterQueue: spec.deadLetterQueue,
    environment: { NODE_OPTIONS: '--enable-source-maps', ...spec.environment, ...functionProps.environment },
  });
  watchEnvironmentSize(fn);
  return fn;
}

function refuseFixed(functionProps: FunctionOptions): void {
  for (const [prop, instead] of Object.entries(FIXED)) {
    if (prop in functionProps) refuse(`functionProps.${prop}`, `must not be overridden. ${instead}`);
  }
}
