import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { JobExecutor } from '../../infra/job-executor.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import { actionsOn, executorTemplate, WORKER_ENTRY, quickApp, type Resource, resources, statementsOf } from './synth.ts';

const TABLE = 'AWS::DynamoDB::GlobalTable';

interface TableProperties {
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly BillingMode: string;
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName: string;
    readonly Projection: { readonly NonKeyAttributes: readonly string[] };
  }[];
  readonly Replicas: readonly [{ readonly DeletionProtectionEnabled: boolean; readonly PointInTimeRecoverySpecification: object }];
  readonly SSESpecification?: { readonly SSEEnabled: boolean };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string };
}

function tables(of = executorTemplate()): Readonly<Record<string, Resource & { readonly Properties: TableProperties }>> {
  return resources(of, TABLE) as never;
}

function table(name: string, of = tables()): TableProperties {
  const found = Object.entries(of).find(([id]) => id.startsWith(`JobsTables${name}`));
  if (found === undefined) throw new Error(`There is no table ${name}.`);
  return found[1].Properties;
}

describe('the tables', () => {
  it('are those of the table spec, with its keys, indexes and TTL', () => {
    const all = tables();
    expect(Object.keys(all)).toHaveLength(TABLE_NAMES.length);
    for (const spec of Object.values(TABLE_SPECS)) {
      const made = table(spec.name[0]?.toUpperCase() + spec.name.slice(1), all);
      expect(made.KeySchema.map((key) => key.AttributeName)).toEqual([spec.partition, spec.sort].filter((key) => key !== undefined));
      expect((made.GlobalSecondaryIndexes ?? []).map((index) => index.IndexName)).toEqual(Object.keys(spec.indexes));
      for (const index of made.GlobalSecondaryIndexes ?? [])
        expect(index.Projection.NonKeyAttributes).toEqual(spec.indexes[index.IndexName]?.projects);
      expect(made.TimeToLiveSpecification?.AttributeName).toBe(spec.ttl);
    }
  });

  it('are on-demand, can be restored to any second and cannot be deleted', () => {
    for (const { Properties: made } of Object.values(tables())) {
      expect(made.BillingMode).toBe('PAY_PER_REQUEST');
      expect(made.Replicas[0]).toMatchObject({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
    }
  });

  it('outlive their stack unless it is said otherwise', () => {
    expect(Object.values(tables()).map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(TABLE_NAMES.map(() => 'Retain'));
  });

  it('go with the stack, and lose their protection, when DESTROY is said', () => {
    for (const { DeletionPolicy, Properties } of Object.values(tables(executorTemplate({ removalPolicy: RemovalPolicy.DESTROY })))) {
      expect(DeletionPolicy).toBe('Delete');
      expect(Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
    }
  });

  it('carry no physical name', () => {
    for (const { Properties } of Object.values(tables())) expect(Properties).not.toHaveProperty('TableName');
  });

  it('and the queues are encrypted with a key that is given, which the functions may use by exact actions', () => {
    const stack = new Stack(quickApp(), 'Shop', { env: { region: 'eu-west-1', account: '123456789012' } });
    const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
    const jobs = new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, encryptionKey });
    const template = Template.fromStack(stack);
    expect(jobs.tables.jobs.encryptionKey).toBe(encryptionKey);
    expect(jobs.workers.get('default')?.queues.sources.map((queue) => queue.encryptionMasterKey)).toEqual([encryptionKey]);
    for (const role of ['Executor', 'Acquirer', 'Sweeper']) {
      const actions = actionsOn(statementsOf(template, role), 'Key');
      expect(actions).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey']));
      expect(actions.join()).not.toContain('*');
    }
  });

  it('and the queues are read with a key with which a reader cannot encrypt', () => {
    const stack = new Stack(quickApp(), 'Shop', { env: { region: 'eu-west-1', account: '123456789012' } });
    const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
    const jobs = new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, encryptionKey });
    const somebody = (id: string) => new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    jobs.grantRead(somebody('Reader'));
    jobs.grantEnqueue(somebody('Producer'));
    jobs.grantOperate(somebody('Operator'));
    const template = Template.fromStack(stack);
    expect(actionsOn(statementsOf(template, 'Reader'), 'Key')).toEqual(['kms:Decrypt', 'kms:DescribeKey']);
    for (const id of ['Producer', 'Operator']) {
      expect(actionsOn(statementsOf(template, id), 'Key')).toEqual([
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ]);
    }
  });

  it('with a key that is given are refused in a stack without a Region, and the fix is named', () => {
    const stack = new Stack(quickApp(), 'Shop');
    const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
    expect(() => new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, encryptionKey })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringMatching(/^encryptionKey: .*env: \{ region/) as string,
      }),
    );
  });
});
