import { Arn, ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { HistoryMode, MetricsMode } from '../shared/config/environment.ts';
import { refuse } from '../shared/config/deployment-checks.ts';
import { defined } from '../shared/core/defined.ts';
import { checkLanes } from '../shared/core/lanes.ts';
import { TABLE_NAMES } from '../shared/ports/table-spec.ts';
import type { TableName } from '../shared/ports/tables.ts';
import { JobExecutorBase } from './job-executor-base.ts';
import type { DeploymentReferences, QueueReference } from './references.ts';
import { checkModes } from './props-checks.ts';
import { checkedSettings, settingValues } from './settings.ts';
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
  /** @default - the worker runs no grouped jobs */
  readonly fifoQueueArn?: string;
}

/** What has to be known of a job executor that another stack or repository deploys; `JobExecutor.attributes` gives it. */
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
  /** @default - functions connected to it tell no events */
  readonly events?: { readonly log?: boolean; readonly on?: boolean };
  /** @default - tables and queues are encrypted with keys of AWS */
  readonly encryptionKeyArn?: string;
}

/** A job executor that lives elsewhere. Its Region and account must be those of the functions connected to it. */
export class ImportedJobExecutor extends JobExecutorBase {
  protected readonly references: DeploymentReferences;

  constructor(scope: Construct, id: string, attributes: JobExecutorAttributes) {
    super(scope, id);
    const settings = settingValues(attributes.settings);
    checkedSettings(settings);
    checkModes(attributes);
    for (const [worker, { laneQueueArns, laneFrom = {} }] of Object.entries(attributes.workers)) {
      checkLanes({ lanes: laneQueueArns, from: laneFrom }, `workers.${worker}`);
    }
    for (const name of TABLE_NAMES) {
      if (!attributes.tableArns[name]) refuse(`tableArns.${name}`, `is missing. Give the ARN of each of: ${TABLE_NAMES.join(', ')}.`);
    }
    this.references = {
      name: attributes.deploymentName,
      tables: Object.fromEntries(
        Object.entries(attributes.tableArns).map(([name, arn]) => [
          name,
          { arn, name: part(arn, ArnFormat.SLASH_RESOURCE_NAME).resourceName ?? '' },
        ]),
      ) as DeploymentReferences['tables'],
      workers: Object.fromEntries(
        Object.entries(attributes.workers).map(([worker, { laneQueueArns, laneFrom, priority, fifoQueueArn }]) => [
          worker,
          {
            lanes: Object.fromEntries(Object.entries(laneQueueArns).map(([lane, arn]) => [lane, this.#queue(arn)])),
            ...defined({ from: laneFrom, priority }),
            ...(fifoQueueArn === undefined ? {} : { fifo: this.#queue(fifoQueueArn) }),
          },
        ]),
      ),
      settings,
      ...defined({
        history: attributes.history,
        metrics: attributes.metrics,
        events: attributes.events,
        encryptionKeyArn: attributes.encryptionKeyArn,
      }),
    };
  }

  #queue(arn: string): QueueReference {
    const { region, account, resource } = part(arn, ArnFormat.NO_RESOURCE_NAME);
    return { arn, url: `https://sqs.${region}.${Stack.of(this).urlSuffix}/${account}/${resource}` };
  }
}

function part(arn: string, format: ArnFormat) {
  return Arn.split(arn, format);
}
