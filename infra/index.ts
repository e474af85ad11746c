// What a CDK app imports from `nightcrew/infra`.
export { JobExecutor, type DeployedWorker } from './job-executor.ts';
export type { ConnectOptions, IJobExecutor } from './job-executor-base.ts';
export type { AlarmProps, EventsProps, JobExecutorProps, LaneProps, WorkerProps } from './job-executor-props.ts';
export type { JobExecutorAttributes, WorkerAttributes } from './imported-job-executor.ts';
export type { SettingsProps } from './settings-props.ts';
export type { JobMetricOptions } from './metrics.ts';
export type { TickSource } from './ticks.ts';
