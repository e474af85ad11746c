import { NestedStack, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import type { JobExecutorAttributes } from '../../infra/attributes.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { KEY_ACTIONS } from '../../infra/statements.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import { executorTemplate, quickApp, resources, type Statement, statementsOf, WORKER_ENTRY } from './synth.ts';

const ACCOUNT = '123456789012';
const workers = { default: { entry: WORKER_ENTRY, groups: true } };

const ARN = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/11111111-2222-3333-4444-555555555555`;
const READ_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey'];

const via = (...services: readonly string[]) => ({
  StringEquals: { 'kms:ViaService': services.map((service) => `${service}.eu-west-1.amazonaws.com`) },
});
const onKey = (statements: readonly Statement[]): readonly Statement[] =>
  statements.filter(({ Resource }) => JSON.stringify(Resource).includes('"Key'));
/** The attributes without tokens, as another app has them. */
const literal = (attributes: JobExecutorAttributes): JobExecutorAttributes => ({
  ...attributes,
  tableArns: Object.fromEntries(
    TABLE_NAMES.map((name) => [name, `arn:aws:dynamodb:eu-west-1:${ACCOUNT}:table/${name}`]),
  ) as JobExecutorAttributes['tableArns'],
  workers: { default: { laneQueueArns: { default: `arn:aws:sqs:eu-west-1:${ACCOUNT}:lane` } } },
});

function keyStack(
  props: Partial<JobExecutorProps> = {},
  keyOf: (stack: Stack) => IKey = (stack) => new Key(stack, 'Key'),
  region = 'eu-west-1',
): Stack {
  const stack = new Stack(quickApp(), 'Shop', { env: { region, account: ACCOUNT } });
  new JobExecutor(stack, 'Jobs', { workers, encryptionKey: keyOf(stack), ...props });
  return stack;
}

/** Statements of the key's policy that the construct added to that of the CDK. */
function added(stack: Stack): readonly (Statement & { Condition: unknown; Principal: { Service?: string } })[] {
  const keys = Object.values(resources(Template.fromStack(stack), 'AWS::KMS::Key'));
  const policies = keys.map(({ Properties }) => Properties['KeyPolicy'] as { Statement: ReturnType<typeof added> });
  return policies.flatMap(({ Statement: all }) => all.filter(({ Action }) => Action !== 'kms:*'));
}

describe('a key of the deployment', () => {
  it('encrypts every log group, the environment of every function and every queue', () => {
    const template = Template.fromStack(keyStack());
    const all: readonly (readonly [string, string])[] = [
      ['AWS::Logs::LogGroup', 'KmsKeyId'],
      ['AWS::Lambda::Function', 'KmsKeyArn'],
      ['AWS::SQS::Queue', 'KmsMasterKeyId'],
    ];
    for (const [type, property] of all) {
      const found = Object.values(resources(template, type));
      expect(found.length).toBeGreaterThanOrEqual(3);
      for (const { Properties } of found) expect(JSON.stringify(Properties[property])).toMatch(/Key[0-9A-F]{8}/);
    }
  });

  it('may be used by the log groups of this stack, and by no other service while the Scheduler ticks', () => {
    const services = added(keyStack()).filter(({ Principal }) => Principal.Service !== undefined);
    expect(services.map(({ Principal }) => Principal.Service)).toEqual(['logs.eu-west-1.amazonaws.com']);
    const arn = `arn:aws:logs:eu-west-1:${ACCOUNT}:log-group:Shop-*`;
    expect(services[0]).toMatchObject({ Action: KEY_ACTIONS, Condition: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': arn } } });
  });

  it('may be used by the role of the Scheduler, which sends the ticks that it gives up on to an encrypted queue', () => {
    const statements = onKey(statementsOf(Template.fromStack(keyStack()), 'TicksRole'));
    expect(statements).toMatchObject([{ Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Condition: via('sqs') }]);
  });

  it('may be used by EventBridge for this account where rules tick, since failed ticks go to an encrypted queue', () => {
    const events = added(keyStack({ ticks: 'rules' })).filter(({ Principal }) => Principal.Service === 'events.amazonaws.com');
    expect(events).toEqual([
      expect.objectContaining({
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Condition: { StringEquals: { 'aws:SourceAccount': ACCOUNT } },
      }),
    ]);
  });

  it('may be used by identities of this account through DynamoDB, SQS and Lambda alone, whatever else its policy says', () => {
    const identities = added(keyStack()).filter(({ Principal }) => Principal.Service === undefined);
    const through = (...services: readonly string[]) => ({
      StringEquals: { 'kms:CallerAccount': ACCOUNT, 'kms:ViaService': services.map((service) => `${service}.eu-west-1.amazonaws.com`) },
    });
    expect(identities).toMatchObject([
      { Action: KEY_ACTIONS, Condition: through('dynamodb', 'sqs', 'lambda') },
      {
        Action: 'kms:CreateGrant',
        Condition: { ...through('dynamodb', 'lambda'), Bool: { 'kms:GrantIsForAWSResource': true } },
      },
    ]);
    for (const { Principal } of identities) expect(Principal).toEqual({ AWS: `arn:aws:iam::${ACCOUNT}:root` });
  });

  it('is used by every function through DynamoDB and SQS alone, for which no statement has a wildcard', () => {
    const template = Template.fromStack(keyStack());
    for (const role of ['Executor', 'Acquirer', 'Sweeper']) {
      expect(onKey(statementsOf(template, role))).toMatchObject([{ Action: KEY_ACTIONS, Condition: via('dynamodb', 'sqs') }]);
    }
    expect(KEY_ACTIONS.join()).not.toContain('*');
  });

  it.each([
    ['grantRead', READ_ACTIONS],
    ['grantEnqueue', KEY_ACTIONS],
    ['grantCancel', KEY_ACTIONS],
    ['grantOperate', KEY_ACTIONS],
    ['connect', KEY_ACTIONS],
    ['connectOperator', KEY_ACTIONS],
  ] as const)('is used by whom %s lets in through DynamoDB and SQS alone', (name, actions) => {
    const stack = keyStack();
    const jobs = stack.node.findChild('Jobs') as JobExecutor;
    jobs[name](new Role(stack, 'Person', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
    const statements = onKey(statementsOf(Template.fromStack(stack), 'Person'));
    expect(statements).toMatchObject([{ Action: actions, Condition: via('dynamodb', 'sqs') }]);
  });

  it('is used by a producer that knows the deployment by its attributes, through the same services', () => {
    const stack = keyStack();
    const other = new Stack(quickApp(), 'Other', { env: { region: 'eu-west-1', account: ACCOUNT } });
    const attributes = { ...(stack.node.findChild('Jobs') as JobExecutor).attributes, encryptionKeyArn: ARN };
    const jobs = JobExecutor.fromJobExecutorAttributes(other, 'Jobs', literal(attributes));
    jobs.connect(new Role(other, 'Producer', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
    const statements = statementsOf(Template.fromStack(other), 'Producer').filter(({ Resource }) => Resource === ARN);
    expect(statements).toMatchObject([{ Action: KEY_ACTIONS, Condition: via('dynamodb', 'sqs') }]);
  });

  it('may be used through the domain of its Region too, where that has one of its own', () => {
    const text = JSON.stringify(added(keyStack({}, undefined, 'cn-north-1')));
    for (const domain of ['amazonaws.com', 'amazonaws.com.cn']) expect(text).toContain(`"sqs.cn-north-1.${domain}"`);
    expect(text).toContain('arn:aws-cn:logs');
  });

  it('may be used by log groups of a nested stack, whose names begin with that of its parent', () => {
    const parent = new Stack(quickApp(), 'Shop', { env: { region: 'eu-west-1', account: ACCOUNT } });
    const encryptionKey = new Key(parent, 'Key');
    new JobExecutor(new NestedStack(parent, 'Inner'), 'Jobs', { workers, encryptionKey });
    expect(JSON.stringify(added(parent))).toContain('log-group:Shop-*');
  });

  it('warns with the statements if it is only imported', () => {
    const stack = keyStack({}, (scope) => Key.fromKeyArn(scope, 'Imported', ARN));
    const warnings = Annotations.fromStack(stack).findWarning(
      '*',
      Match.stringLikeRegexp('^encryptionKey: .*is imported.*iam::[0-9]{12}:root.*logs\\.eu-west-1'),
    );
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).not.toContain('Fn::');
    expect(Annotations.fromStack(keyStack()).findWarning('*', Match.stringLikeRegexp('encryptionKey'))).toEqual([]);
  });
});

it('without a key nothing is encrypted with one', () => {
  const text = JSON.stringify(executorTemplate({ workers }).toJSON());
  expect(text).not.toMatch(/Kms(?:KeyId|KeyArn|MasterKeyId)/);
});
