import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib';
import { ArnPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct } from 'constructs';
import { viaServices } from './key-references.ts';
import { KEY_ACTIONS } from './statements.ts';

/** Which services use the key of a deployment. */
export interface KeyUse {
  readonly key: IKey;
  /** Whether EventBridge rules send failed ticks to an encrypted queue. */
  readonly rules: boolean;
  /** Whether a bucket of payloads is encrypted with it. */
  readonly payloads: boolean;
}

/** In the policy of a key this is the key (https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-overview.html). */
const THE_KEY = ['*'];

/** What sending to an encrypted queue takes (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html). */
export const KEY_SEND_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey'] as const;

/**
 * Adds to the policy of a key what tables, queues, log groups and functions need of it. Warns with the statements if the key is only imported:
 * without them the deployment fails at its log groups.
 */
export function grantKeyUse(scope: Construct, { key, rules, payloads }: KeyUse): void {
  const statements = [...identities(scope, payloads), logs(scope), ...(rules ? [events(scope)] : [])];
  const added = statements.map((statement) => key.addToResourcePolicy(statement, true).statementAdded);
  if (added.every(Boolean)) return;
  const text = JSON.stringify(Stack.of(scope).resolve(statements.map((statement) => statement.toStatementJson())));
  Annotations.of(scope).addWarningV2(
    'nightcrew:key-policy',
    `encryptionKey: ${key.node.path} is imported, so its policy cannot be changed here. Before you deploy, make sure that it allows: ${text}`,
  );
}

/**
 * Identities of the account whom IAM allows it, through the services that encrypt with the key
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html). A policy that delegates to IAM allows this
 * already. DynamoDB and Lambda use the key later by a grant, which they make when a table or function is created
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars-encryption.html).
 */
function identities(scope: Construct, payloads: boolean): readonly PolicyStatement[] {
  const { account } = Stack.of(scope);
  const through = (services: Parameters<typeof viaServices>[1]) => ({
    StringEquals: { 'kms:CallerAccount': account, 'kms:ViaService': viaServices(scope, services) },
  });
  const principals = [new ArnPrincipal(`arn:${partitionOf(scope)}:iam::${account}:root`)];
  return [
    new PolicyStatement({
      principals,
      actions: [...KEY_ACTIONS],
      resources: THE_KEY,
      conditions: through(['dynamodb', 'sqs', 'lambda', ...(payloads ? (['s3'] as const) : [])]),
    }),
    new PolicyStatement({
      principals,
      actions: ['kms:CreateGrant'],
      resources: THE_KEY,
      conditions: { ...through(['dynamodb', 'lambda']), Bool: { 'kms:GrantIsForAWSResource': true } },
    }),
  ];
}

/**
 * CloudWatch Logs, for log groups that CloudFormation names after this stack
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html). Naming each would be a circle: a log group names its key.
 */
function logs(scope: Construct): PolicyStatement {
  const stack = Stack.of(scope);
  const arn = stack.formatArn({
    service: 'logs',
    partition: partitionOf(scope),
    resource: 'log-group',
    resourceName: `${rootName(stack)}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new PolicyStatement({
    principals: [new ServicePrincipal(`logs.${stack.region}.amazonaws.com`)],
    actions: [...KEY_ACTIONS],
    resources: THE_KEY,
    conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': arn } },
  });
}

/**
 * EventBridge, which encrypts what it sends to the queue of failed ticks. Naming the rules would be a circle as well: a rule names its queue, and
 * the queue its key. So the condition is the account, as in the CDK's own queue target (https://github.com/aws/aws-cdk/issues/11158).
 */
function events(scope: Construct): PolicyStatement {
  return new PolicyStatement({
    principals: [new ServicePrincipal('events.amazonaws.com')],
    actions: [...KEY_SEND_ACTIONS],
    resources: THE_KEY,
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });
}

/** Its name, so that a warning shows policies that can be copied. */
function partitionOf(scope: Construct): string {
  return RegionInfo.get(Stack.of(scope).region).partition ?? 'aws';
}

/** CloudFormation begins the name of a nested stack with that of its parent. */
function rootName(stack: Stack): string {
  return stack.nestedStackParent === undefined ? stack.stackName : rootName(stack.nestedStackParent);
}
