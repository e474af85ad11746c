import { ENVIRONMENT } from '../shared/config/environment.ts';
import type { JobExecutorProps } from './job-executor-props.ts';

/**
 * Whether acquirer and sweeper publish no metrics. With a tick a minute they are billed even in a month in which nothing happens, so they are
 * left out if neither alarms nor the dashboard need them, unless `metrics` asks for them.
 */
export function silentTicks({ metrics, alarms, dashboard }: JobExecutorProps): boolean {
  return metrics === undefined && alarms === false && dashboard === false;
}

/** The metrics of acquirer and sweeper, as an environment variable. */
export function tickMetrics(props: JobExecutorProps): Readonly<Record<string, string>> {
  return silentTicks(props) ? { [ENVIRONMENT.metrics]: 'off' } : {};
}

/** How they are published. */
export const METRICS_ON = "Set metrics: 'worker' of the job executor, or leave alarms or the dashboard on.";
