import { CfnOutput } from 'aws-cdk-lib';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  FunctionUrl,
  FunctionUrlAuthType,
  type Function as LambdaFunction,
  type IFunction,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EXTERNAL_WORKERS } from '../shared/config/environment.ts';
import { acknowledge } from './acknowledgements.ts';
import { ownCode } from './bundle.ts';
import { deploymentEnvironment } from './deployment-environment.ts';
import { unusedPackages } from './event-references.ts';
import { createFunction, type FunctionChoices } from './function-defaults.ts';
import { refuseEverybody } from './grants.ts';
import { mergePermissions, OUTSIDE_WORKER, PERMISSIONS } from './permissions.ts';
import type { DeploymentReferences } from './references.ts';
import { releaseFunction } from './release.ts';
import { statements } from './statements.ts';

/** A request waits for 20 s at most; the rest is for its work, and for a thousand jobs that are enqueued at once. */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 256;

/** What the external API is made of. */
export interface ExternalApiOptions {
  /** The workers outside Lambda: the only ones whose jobs it hands out. */
  readonly workers: readonly string[];
  readonly deployment: DeploymentReferences;
  readonly choices: FunctionChoices;
}

/** The HTTP API for workers in any language: a function behind a URL that only IAM opens. */
export class ExternalApi extends Construct {
  readonly fn: LambdaFunction;
  /** What the URL invokes. */
  readonly alias: Alias;
  readonly functionUrl: FunctionUrl;

  constructor(scope: Construct, id: string, { workers, deployment, choices }: ExternalApiOptions) {
    super(scope, id);
    // A worker that polls would pay for a trace each time.
    const tracing = choices.tracing ?? Tracing.DISABLED;
    // It rejects messages that it cannot read.
    const environment = deploymentEnvironment(deployment, { deadLetterQueues: workers, withBus: true });
    const permissions = mergePermissions(OUTSIDE_WORKER, PERMISSIONS.enqueue, PERMISSIONS.list);
    this.fn = createFunction(
      this,
      {
        description: 'Nightcrew external API: jobs for workers in any language.',
        code: ownCode('api', unusedPackages(deployment.events)),
        timeoutMs: TIMEOUT_MS,
        memoryMb: MEMORY_MB,
        environment: { ...environment, [EXTERNAL_WORKERS]: workers.join(',') },
        statements: statements(permissions, deployment, workers),
      },
      { ...choices, tracing },
    );
    acknowledge(this.fn, 'synchronous');
    this.alias = releaseFunction(this, this.fn);
    this.functionUrl = new FunctionUrl(this, 'Url', { function: this.alias as IFunction, authType: FunctionUrlAuthType.AWS_IAM });
    const traced = (choices.functionProps?.tracing ?? tracing) !== Tracing.DISABLED;
    acknowledge(traced ? (this.fn.role ?? this.fn) : this.fn, traced ? 'anyResource' : 'untraced');
    new CfnOutput(this, 'Address', {
      description: 'The URL of the external API. Its callers need grantExternalApi.',
      value: this.functionUrl.url,
    });
  }

  /**
   * Lets a principal call the URL, and the function in no other way: since October 2025 AWS checks InvokeFunctionUrl and InvokeFunction, the
   * second here only for calls by the URL. Throws InvalidConfigurationError for a principal that is everybody.
   */
  grant(grantee: IGrantable): Grant {
    refuseEverybody('grantExternalApi', grantee.grantPrincipal);
    return this.alias.grantInvokeUrl(grantee);
  }
}
