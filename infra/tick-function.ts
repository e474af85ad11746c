import { Duration } from 'aws-cdk-lib';
import { type Code, EventInvokeConfig, type Function as LambdaFunction, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.ts';
import { createFunction, type FunctionChoices } from './function-defaults.ts';
import type { Permissions } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';
import { statements } from './statements.ts';

/** What a function that ticks start is made of. */
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

  constructor(scope: Construct, id: string, options: TickFunctionOptions) {
    super(scope, id);
    // A trace a tick is 43 cents a month and says nothing that its log does not.
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
    const invocation = new EventInvokeConfig(this, 'Invocation', { function: this.fn, retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    acknowledge(invocation, 'tick');
    const traced = (options.choices.functionProps?.tracing ?? tracing) !== Tracing.DISABLED;
    acknowledge(traced ? (this.fn.role ?? this.fn) : this.fn, traced ? 'xray' : 'untraced');
  }
}
