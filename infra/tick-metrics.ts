import { Lazy } from 'aws-cdk-lib';
import { ENVIRONMENT } from '../shared/config/environment.ts';
import type { JobExecutorProps } from './job-executor-props.ts';

/**
 * The metrics of acquirer and sweeper, as an environment variable. With a tick a minute they are billed even in a month in which nothing
 * happens, so they are left out if neither alarms nor the dashboard nor a requested metric (`isAsked`) needs them.
 */
export function tickMetrics({ metrics, alarms, dashboard }: JobExecutorProps, isAsked: () => boolean): Readonly<Record<string, string>> {
  if (metrics !== undefined || alarms !== false || dashboard !== false) return {};
  // Asked for after the construct was made, as a rule: known at synth only.
  return { [ENVIRONMENT.metrics]: Lazy.uncachedString({ produce: () => (isAsked() ? undefined : 'off') }) };
}
