import { Names } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { IConstruct } from 'constructs';
import { defined } from '../shared/job/defined.ts';
import type { TableName } from '../shared/ports/tables.ts';
import { adopted } from './adopted-tables.ts';
import { eventReferences } from './event-references.ts';
import type { JobExecutorAttributes } from './attributes.ts';
import type { JobExecutorProps } from './job-executor-props.ts';
import { keyReferences } from './key-references.ts';
import { laneAttributes } from './lane-plan.ts';
import { deployedStack } from './outputs.ts';
import { payloadReference } from './payload-bucket.ts';
import type { WorkerQueues } from './queues.ts';
import { type DeploymentReferences, eventsConfig, type SharedResource } from './references.ts';
import type { Tables } from './tables.ts';

/** What a deployment is made of, from which its references follow. */
export interface DeploymentParts {
  readonly tables: Tables;
  readonly queues: ReadonlyMap<string, WorkerQueues>;
  readonly props: JobExecutorProps;
  readonly payloads?: Bucket;
}

/** All that grants, connected functions and metrics need of a deployment of this app. */
export function deploymentReferences(
  scope: IConstruct,
  { tables, queues, props, payloads }: DeploymentParts,
  settings: Readonly<Record<string, number>>,
): DeploymentReferences {
  const { deploymentName, history, metrics, events, encryptionKey } = props;
  const parts = { tables, queues, props, ...defined({ payloads }) };
  return {
    name: deploymentName ?? Names.uniqueResourceName(scope, { maxLength: 100, separator: '-' }),
    tables: Object.fromEntries(
      Object.entries(tables).map(([name, table]) => [name, { name: table.tableName, arn: table.tableArn }]),
    ) as unknown as DeploymentReferences['tables'],
    workers: Object.fromEntries([...queues].map(([worker, { references }]) => [worker, references])),
    settings,
    ...defined({ history, metrics }),
    ...(events === undefined ? {} : { events: eventReferences(events) }),
    ...(payloads === undefined ? {} : { payloads: payloadReference(payloads) }),
    keys: keyReferences(scope, encryptionKey?.keyArn, {
      tableKeyArns: tableKeys(props).map(({ keyArn }) => keyArn),
      payloads: payloads !== undefined,
    }),
    stackArn: deployedStack(scope).stackId,
    resources: sharedResources(parts),
  };
}

/** What another stack needs for `fromJobExecutorAttributes`. */
export function deploymentAttributes(deploymentName: string, { tables, queues, props, payloads }: DeploymentParts): JobExecutorAttributes {
  const { settings, history, metrics, events, encryptionKey } = props;
  const keysOfTables = tableKeys(props);
  return {
    deploymentName,
    tableArns: Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table.tableArn])) as Record<TableName, string>,
    workers: Object.fromEntries(
      [...queues].map(([worker, { lanes, fifo, references }]) => [
        worker,
        {
          laneQueueArns: Object.fromEntries(Object.entries(lanes).map(([lane, queue]) => [lane, queue.queueArn])),
          ...laneAttributes(references),
          ...(fifo === undefined ? {} : { fifoQueueArn: fifo.queueArn }),
        },
      ]),
    ),
    ...defined({ settings, history, metrics }),
    ...(events === undefined ? {} : { events: eventsConfig(eventReferences(events), false) }),
    ...defined({ payloadBucketArn: payloads?.bucketArn }),
    ...(encryptionKey === undefined ? {} : { encryptionKeyArn: encryptionKey.keyArn }),
    ...(keysOfTables.length === 0 ? {} : { tableKeyArns: [...new Set(keysOfTables.map(({ keyArn }) => keyArn))] }),
  };
}

/** The policy of a table or key is part of it, so it cannot name it by an attribute; that of a queue is a resource of its own. */
function sharedResources({ tables, queues, props, payloads }: DeploymentParts): ReadonlyMap<string, SharedResource> {
  const all = [...queues.values()].flatMap(({ sources, deadLetterQueues }) => [...sources, ...deadLetterQueues]);
  const self = ['*'];
  const keys = [...(props.encryptionKey === undefined ? [] : [props.encryptionKey]), ...tableKeys(props)];
  return new Map<string, SharedResource>([
    ...Object.values(tables).map(
      (table) => [table.tableArn, { resource: table as ITable & SharedResource['resource'], resourceSelfArns: self }] as const,
    ),
    ...all.map((queue) => [queue.queueArn, { resource: queue }] as const),
    ...(payloads === undefined
      ? []
      : [payloads.bucketArn, payloads.arnForObjects('*')].map((arn) => [arn, { resource: payloads }] as const)),
    ...keys.map((key) => [key.keyArn, { resource: key, resourceSelfArns: self }] as const),
  ]);
}

/** Keys that adopted tables have of their own. */
function tableKeys({ tables }: JobExecutorProps): readonly IKey[] {
  return adopted(tables).flatMap(([, { encryptionKey }]) => encryptionKey ?? []);
}

/** The part of a CDK resource that is there from CDK 2.259 on. */
interface WeakReference {
  applyCrossStackReferenceStrength?(strength: 'weak'): void;
}

/**
 * Lets other stacks of the app refer to tables and queues without exports: an export that is in use keeps its stack from removing a lane.
 * A reference is read when the other stack is deployed (`Fn::GetStackOutput`). Before CDK 2.259 references are exports.
 */
export function referWeakly({ tables, queues, props, payloads }: DeploymentParts): void {
  const all = [...queues.values()].flatMap(({ sources, deadLetterQueues }) => [...sources, ...deadLetterQueues]);
  // How others refer to an adopted table is for its owner to decide.
  const own = Object.values(tables).filter((table) => !adopted(props.tables).some(([, one]) => one === table));
  for (const resource of [...own, ...all, ...(payloads === undefined ? [] : [payloads])] as unknown as readonly WeakReference[]) {
    resource.applyCrossStackReferenceStrength?.('weak');
  }
}
