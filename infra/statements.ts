import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { TableName } from '../shared/ports/tables.ts';
import { eventPermissions } from './event-permissions.ts';
import { mergePermissions, type Permissions, type QueueAction, type TableAction } from './permissions.ts';
import { type DeploymentReferences, deadLetterQueues, hintQueues, type QueueReference } from './references.ts';

/** Actions to read an encrypted table and to receive from an encrypted queue. */
const KEY_READ_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey'] as const;

/** Additional actions to write to an encrypted table; sending to an encrypted queue needs GenerateDataKey of these. */
const KEY_WRITE_ACTIONS = [
  'kms:Encrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
] as const;

/** Everything that a deployment does with its key. */
export const KEY_ACTIONS = [...KEY_READ_ACTIONS, ...KEY_WRITE_ACTIONS] as const;

const WRITING: ReadonlySet<TableAction | QueueAction> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'PartiQLUpdate',
  'PartiQLDelete',
  'SendMessage',
]);

/** Permissions as statements: exact actions on exact resources. `worker`: the worker that the function is, or those whose jobs it hands out. */
export function statements(
  permissions: Permissions,
  deployment: DeploymentReferences,
  worker: string | readonly string[] = [],
): PolicyStatement[] {
  const all = Object.values(deployment.workers);
  // Everyone who changes jobs publishes events.
  const given = writes(permissions) ? mergePermissions(permissions, ...eventPermissions(deployment)) : permissions;
  const own = Object.entries(deployment.workers).flatMap(([name, queues]) => ([worker].flat().includes(name) ? [queues] : []));
  return [
    ...tableStatements(given, deployment),
    ...queueStatements(permissions.queues, all.flatMap(hintQueues)),
    ...queueStatements(permissions.deadLetterQueues, all.flatMap(deadLetterQueues)),
    ...queueStatements(permissions.ownQueues, own.flatMap(hintQueues)),
    ...queueStatements(permissions.ownDeadLetterQueues, own.flatMap(deadLetterQueues)),
    ...payloadStatements(permissions, deployment),
    ...busStatements(permissions, deployment),
    ...stackStatements(permissions, deployment),
    ...keyStatements(permissions, deployment),
  ];
}

/** The keys of objects are not known in advance, so a wildcard stands for them. */
function payloadStatements(
  { payloads = [], payloadBucket = [] }: Permissions,
  { payloads: bucket }: DeploymentReferences,
): PolicyStatement[] {
  if (bucket === undefined) return [];
  const of = (actions: readonly string[], arn: string): PolicyStatement[] =>
    actions.length === 0 ? [] : [new PolicyStatement({ actions: actions.map((action) => `s3:${action}`), resources: [arn] })];
  return [...of(payloads, bucket.objectsArn), ...of(payloadBucket, bucket.arn)];
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
  // PartiQL asks for an index by its own ARN, as Query does.
  const selects = Object.values(tables).some((actions) => actions.includes('PartiQLSelect'));
  const actions = ['dynamodb:Query', ...(selects ? ['dynamodb:PartiQLSelect'] : [])];
  return [...ofTables, ...(indexArns.length === 0 ? [] : [new PolicyStatement({ actions, resources: indexArns })])];
}

function queueStatements(actions: Permissions['queues'], queues: readonly QueueReference[]): PolicyStatement[] {
  if (actions === undefined || actions.length === 0 || queues.length === 0) return [];
  return [new PolicyStatement({ actions: actions.map((action) => `sqs:${action}`), resources: queues.map(({ arn }) => arn) })];
}

/** Only through the services that encrypt with the key: it cannot be used for anything else, even by those who have its ciphertext. */
function keyStatements(permissions: Permissions, { keys = [] }: DeploymentReferences): PolicyStatement[] {
  const actions = writes(permissions) ? [...KEY_ACTIONS] : [...KEY_READ_ACTIONS];
  return keys.map(
    ({ arn, services }) => new PolicyStatement({ actions, resources: [arn], conditions: { StringEquals: { 'kms:ViaService': services } } }),
  );
}

function writes({ tables, queues = [], ownQueues = [], deadLetterQueues = [], ownDeadLetterQueues = [] }: Permissions): boolean {
  const onQueues = [queues, ownQueues, deadLetterQueues, ownDeadLetterQueues];
  return [...Object.values(tables), ...onQueues].flat().some((action) => WRITING.has(action));
}
