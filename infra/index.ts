// The exports of `nightcrew/infra` for CDK apps.
export { JobExecutor, type DeployedWorker } from './job-executor.ts';
export type { Connection, ConnectOperatorOptions, ConnectOptions, IJobExecutor } from './job-executor-base.ts';
export type { AlarmProps, EventsProps, JobExecutorProps, LaneProps, WorkerProps } from './job-executor-props.ts';
export type { MaintenanceProps } from './maintenance-props.ts';
export type { ExternalApi } from './external-api.ts';
export type { JobExecutorAttributes, WorkerAttributes } from './attributes.ts';
export type { PollerProps } from './pollers.ts';
export type { DeploymentProps } from './roll-outs.ts';
export type { SettingsProps } from './settings-props.ts';
export type { JobMetricOptions } from './metrics.ts';
export type { AdoptableTable, AdoptedTables } from './adopted-tables.ts';
export type { TableProps, TablesProps } from './table-props.ts';
export type { TickSource } from './ticks.ts';
