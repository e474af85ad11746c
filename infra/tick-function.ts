import { Duration } from 'aws-cdk-lib';
import { type Alias, type Code, EventInvokeConfig, type Function as LambdaFunction, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.ts';
import { createFunction, type FunctionChoices } from './function-defaults.ts';
import type { Permissions } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';
import { releaseFunction } from './release.ts';
import { statements } from './statements.ts';

/** Props of a function that is started by ticks. */
export interface TickFunctionOptions {
  readonly description: string;
  readonly code: Code;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly permissions: Permissions;
  readonly deployment: DeploymentReferences;
  readonly environment: Readonly<Record<string, string>>;
  readonly failedTicks: IQueue;
  readonly choices: FunctionChoices;
}

/** A function that a tick starts: one that failed or waited for more than a minute is not tried again, because the next tick does its work. */
export class TickFunction extends Construct {
  readonly fn: LambdaFunction;
  /** What the ticks invoke. */
  readonly alias: Alias;

  constructor(scope: Construct, id: string, options: TickFunctionOptions) {
    super(scope, id);
    // One trace per tick costs 43 cents a month and adds nothing to the log.
    const tracing = options.choices.tracing ?? Tracing.DISABLED;
    this.fn = createFunction(
      this,
      {
        description: options.description,
        code: options.code,
        timeoutMs: options.timeoutMs,
        memoryMb: options.memoryMb,
        environment: options.environment,
        statements: statements(options.permissions, options.deployment),
        deadLetterQueue: options.failedTicks,
      },
      { ...options.choices, tracing },
    );
    this.alias = releaseFunction(this, this.fn);
    const invocation = new EventInvokeConfig(this, 'Invocation', {
      function: this.fn,
      // Each alias has a configuration of its own; that of the function holds for $LATEST alone.
      qualifier: this.alias.aliasName,
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
    });
    invocation.node.addDependency(this.alias);
    acknowledge(invocation, 'tick');
    const traced = (options.choices.functionProps?.tracing ?? tracing) !== Tracing.DISABLED;
    acknowledge(traced ? (this.fn.role ?? this.fn) : this.fn, traced ? 'anyResource' : 'untraced');
  }
}
