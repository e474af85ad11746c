import { Lazy } from 'aws-cdk-lib';
import { ENVIRONMENT } from '../shared/config/environment.ts';
import type { JobExecutorProps } from './job-executor-props.ts';

/**
 * What acquirer and sweeper publish, as a variable of theirs. A tick a minute keeps its metrics alive and paid for in a month in which nothing
 * happens, so they are left out when neither alarms nor dashboard nor anybody who asked for a metric (`isAsked`) reads them.
 */
export function tickMetrics({ metrics, alarms, dashboard }: JobExecutorProps, isAsked: () => boolean): Readonly<Record<string, string>> {
  if (metrics !== undefined || alarms !== false || dashboard !== false) return {};
  // Asked for after the construct was made, as a rule: known at synth only.
  return { [ENVIRONMENT.metrics]: Lazy.uncachedString({ produce: () => (isAsked() ? undefined : 'off') }) };
}
