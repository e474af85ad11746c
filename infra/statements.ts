import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { TableName } from '../shared/ports/tables.ts';
import type { Permissions } from './permissions.ts';
import { type DeploymentReferences, deadLetterQueues, hintQueues, type QueueReference } from './references.ts';

const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:Encrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:DescribeKey',
] as const;

/** Permissions as statements: exact actions on exact resources. `worker`: the worker that the function is. */
export function statements(permissions: Permissions, deployment: DeploymentReferences, worker?: string): PolicyStatement[] {
  const all = Object.values(deployment.workers);
  const own = all.filter((_, index) => Object.keys(deployment.workers)[index] === worker);
  return [
    ...tableStatements(permissions, deployment),
    ...queueStatements(permissions.queues, all.flatMap(hintQueues)),
    ...queueStatements(permissions.deadLetterQueues, all.flatMap(deadLetterQueues)),
    ...queueStatements(permissions.ownQueues, own.flatMap(hintQueues)),
    ...queueStatements(permissions.ownDeadLetterQueues, own.flatMap(deadLetterQueues)),
    ...keyStatements(deployment),
  ];
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

function keyStatements({ encryptionKeyArn }: DeploymentReferences): PolicyStatement[] {
  if (encryptionKeyArn === undefined) return [];
  return [
    new PolicyStatement({
      actions: [...KEY_ACTIONS],
      resources: [encryptionKeyArn],
    }),
  ];
}
