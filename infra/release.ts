import { Alias, type Function as LambdaFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { defined } from '../shared/job/defined.ts';

/** Name of the alias that event sources and ticks invoke. An operator points it at an earlier version to roll back by hand. */
export const LIVE_ALIAS = 'live';

/**
 * Publishes the function as a version and points an alias at it. Code and configuration of a version never change, so no invocation
 * meets new settings with old code. `warm` sandboxes are kept for the version behind the alias.
 */
export function releaseFunction(scope: Construct, fn: LambdaFunction, warm = 0): Alias {
  return new Alias(scope, 'Live', {
    aliasName: LIVE_ALIAS,
    version: fn.currentVersion as IVersion,
    ...defined({ provisionedConcurrentExecutions: warm === 0 ? undefined : warm }),
  });
}
