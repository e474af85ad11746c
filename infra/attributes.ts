import type { HistoryMode, MetricsMode } from '../shared/config/environment.ts';
import type { TableName } from '../shared/ports/tables.ts';
import type { SettingsProps } from './settings-props.ts';

/** ARNs of a worker's queues. */
export interface WorkerAttributes {
  /** By lane. */
  readonly laneQueueArns: Readonly<Record<string, string>>;
  /**
   * The lowest priority of each lane but the lowest.
   * @default - the worker has one lane
   */
  readonly laneFrom?: Readonly<Record<string, number>>;
  /** @default 0 */
  readonly priority?: number;
  /**
   * Names that the worker had before.
   * @default - none
   */
  readonly formerly?: readonly string[];
  /** @default - the worker runs no grouped jobs */
  readonly fifoQueueArn?: string;
}

/** The attributes of a job executor in another stack or repository; `JobExecutor.attributes` returns them. */
export interface JobExecutorAttributes {
  readonly deploymentName: string;
  readonly tableArns: Readonly<Record<TableName, string>>;
  readonly workers: Readonly<Record<string, WorkerAttributes>>;
  /** @default - all settings at their defaults */
  readonly settings?: SettingsProps;
  /** @default 'outcome' */
  readonly history?: HistoryMode;
  /** @default 'worker' */
  readonly metrics?: MetricsMode;
  /** @default - functions connected to it publish no events */
  readonly events?: { readonly log?: boolean; readonly on?: boolean };
  /** @default - it has no bucket for large payloads */
  readonly payloadBucketArn?: string;
  /** @default - tables and queues are encrypted with keys of AWS */
  readonly encryptionKeyArn?: string;
  /**
   * Keys of adopted tables that have others.
   * @default - none
   */
  readonly tableKeyArns?: readonly string[];
}
