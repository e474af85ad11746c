import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { TableName } from '../shared/ports/tables.ts';
import { eventPermissions } from './event-permissions.ts';
import { mergePermissions, type Permissions, type QueueAction, type TableAction } from './permissions.ts';
import { type DeploymentReferences, deadLetterQueues, hintQueues, type QueueReference } from './references.ts';

/** What reading an encrypted table, and receiving from an encrypted queue, takes. */
const KEY_READ_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey'] as const;

/** What writing to an encrypted table takes besides; sending to an encrypted queue needs GenerateDataKey of these. */
const KEY_WRITE_ACTIONS = [
  'kms:Encrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
] as const;

const WRITING: ReadonlySet<TableAction | QueueAction> = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'SendMessage']);

/** Permissions as statements: exact actions on exact resources. `worker`: the worker that the function is. */
export function statements(permissions: Permissions, deployment: DeploymentReferences, worker?: string): PolicyStatement[] {
  const all = Object.values(deployment.workers);
  // Whoever changes jobs tells of it.
  const given = writes(permissions) ? mergePermissions(permissions, ...eventPermissions(deployment)) : permissions;
  const own = all.filter((_, index) => Object.keys(deployment.workers)[index] === worker);
  return [
    ...tableStatements(given, deployment),
    ...queueStatements(permissions.queues, all.flatMap(hintQueues)),
    ...queueStatements(permissions.deadLetterQueues, all.flatMap(deadLetterQueues)),
    ...queueStatements(permissions.ownQueues, own.flatMap(hintQueues)),
    ...queueStatements(permissions.ownDeadLetterQueues, own.flatMap(deadLetterQueues)),
    ...busStatements(permissions, deployment),
    ...stackStatements(permissions, deployment),
    ...keyStatements(permissions, deployment),
  ];
}

function busStatements({ eventBus = [] }: Permissions, { events }: DeploymentReferences): PolicyStatement[] {
  if (events?.busArn === undefined || eventBus.length === 0) return [];
  return [new PolicyStatement({ actions: eventBus.map((action) => `events:${action}`), resources: [events.busArn] })];
}

function stackStatements({ stack = [] }: Permissions, { stackArn }: DeploymentReferences): PolicyStatement[] {
  if (stackArn === undefined || stack.length === 0) return [];
  return [new PolicyStatement({ actions: stack.map((action) => `cloudformation:${action}`), resources: [stackArn] })];
}

function tableStatements({ tables, indexes = {} }: Permissions, deployment: DeploymentReferences): PolicyStatement[] {
  const ofTables = Object.entries(tables).map(
    ([name, actions]) =>
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [deployment.tables[name as TableName].arn],
      }),
  );
  const indexArns = Object.entries(indexes).flatMap(([name, names]) =>
    names.map((index) => `${deployment.tables[name as TableName].arn}/index/${index}`),
  );
  return [...ofTables, ...(indexArns.length === 0 ? [] : [new PolicyStatement({ actions: ['dynamodb:Query'], resources: indexArns })])];
}

function queueStatements(actions: Permissions['queues'], queues: readonly QueueReference[]): PolicyStatement[] {
  if (actions === undefined || actions.length === 0 || queues.length === 0) return [];
  return [new PolicyStatement({ actions: actions.map((action) => `sqs:${action}`), resources: queues.map(({ arn }) => arn) })];
}

function keyStatements(permissions: Permissions, { encryptionKeyArn }: DeploymentReferences): PolicyStatement[] {
  if (encryptionKeyArn === undefined) return [];
  const actions = writes(permissions) ? [...KEY_READ_ACTIONS, ...KEY_WRITE_ACTIONS] : [...KEY_READ_ACTIONS];
  return [new PolicyStatement({ actions, resources: [encryptionKeyArn] })];
}

function writes({ tables, queues = [], ownQueues = [], deadLetterQueues = [], ownDeadLetterQueues = [] }: Permissions): boolean {
  const onQueues = [queues, ownQueues, deadLetterQueues, ownDeadLetterQueues];
  return [...Object.values(tables), ...onQueues].flat().some((action) => WRITING.has(action));
}
