import { RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanUnlessOff } from '../../functions/cleaner/clean-unless-off.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { type Permissions, PERMISSIONS } from '../../infra/permissions.ts';
import { startS3Wire } from '../support/s3-wire.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { s3Payloads } from '../../shared/adapters/s3/index.ts';
import { makeJobId } from '../../shared/job/job-id.ts';
import { claimCheck, defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { notedTables } from './noted-tables.ts';
import { executorStack, executorTemplate, quickApp, resources, statementsOf } from './synth.ts';

describe('the bucket of large payloads', () => {
  it('is not there unless it is asked for', () => {
    const without = executorTemplate().toJSON() as unknown;
    expect(executorTemplate({ largePayloads: false }).toJSON()).toEqual(without);
    expect(JSON.stringify(without)).not.toMatch(/S3::Bucket|NIGHTCREW_PAYLOADS|s3:(Put|Get|Delete|List)/);
  });

  it('is private, encrypted, kept, and keeps what was removed for 35 days', () => {
    const template = executorTemplate({ largePayloads: true });
    template.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      Properties: {
        VersioningConfiguration: { Status: 'Enabled' },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        BucketEncryption: Match.anyValue(),
        LifecycleConfiguration: {
          Rules: [
            { NoncurrentVersionExpiration: { NoncurrentDays: 35 }, Status: 'Enabled' },
            { ExpiredObjectDeleteMarker: true, Status: 'Enabled' },
            { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
          ],
        },
      },
    });
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: { Statement: [Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })] },
    });
    expect(() =>
      executorTemplate({ largePayloads: true, removalPolicy: RemovalPolicy.DESTROY }).hasResource('AWS::S3::Bucket', {
        DeletionPolicy: 'Delete',
      }),
    ).not.toThrow();
  });

  it('is named to every function, and cleaned once a day by a function of its own', () => {
    const { stack, jobs } = executorStack({ largePayloads: { functionProps: { ephemeralStorageSize: Size.mebibytes(1_024) } } });
    const template = Template.fromStack(stack);
    const named = {
      Environment: { Variables: Match.objectLike({ NIGHTCREW_PAYLOADS: { Ref: Match.stringLikeRegexp('^JobsPayloads') } }) },
    };
    template.resourcePropertiesCountIs('AWS::Lambda::Function', named, 4);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('cleaner'),
      Timeout: 900,
      EphemeralStorage: { Size: 1024 },
    });
    template.hasResourceProperties('AWS::Scheduler::Schedule', { ScheduleExpression: 'rate(1440 minutes)' });
    expect([jobs.payloadBucket?.node.id, jobs.cleanerFunction?.node.path]).toEqual(['Payloads', expect.stringContaining('Cleaner')]);
    expect(jobs.clientEnvironment()['NIGHTCREW_PAYLOADS']).toBeDefined();
  });

  it('gives each role exactly its actions on the objects, and those that read them and the cleaner the list of the bucket', () => {
    const { stack, jobs } = executorStack({ largePayloads: true });
    const role = (id: string): Role => new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    jobs.connect(role('Producer'));
    jobs.grantRead(role('Reader'));
    jobs.connectOperator(role('Operator'));
    jobs.grantRun(role('Runner'), 'default');
    const template = Template.fromStack(stack);
    const objects = { 'Fn::Join': ['', [{ 'Fn::GetAtt': [expect.stringMatching(/^JobsPayloads/), 'Arn'] }, '/*']] };
    const listed = [['s3:ListBucket'], { 'Fn::GetAtt': [expect.stringMatching(/^JobsPayloads/), 'Arn'] }];
    const onS3 = (id: string): unknown =>
      statementsOf(template, id)
        .filter(({ Action }) => JSON.stringify(Action).includes('"s3:'))
        .map(({ Action, Resource }) => [[Action].flat(), Resource]);
    expect(onS3('Producer')).toEqual([[['s3:PutObject', 's3:GetObject'], objects]]);
    const all = [['s3:PutObject', 's3:GetObject', 's3:GetObjectVersion', 's3:DeleteObject'], objects];
    expect(onS3('Reader')).toEqual([[['s3:GetObjectVersion'], objects], listed]);
    expect(onS3('Operator')).toEqual([[['s3:GetObjectVersion', 's3:PutObject', 's3:GetObject'], objects], listed]);
    expect(onS3('Runner')).toEqual([all, listed]);
    expect(onS3('JobsWorkerdefault')).toEqual([all, listed]);
    expect(onS3('JobsCleaner')).toEqual([[['s3:DeleteObject'], objects], listed]);
    expect([onS3('JobsSweeper'), onS3('JobsAcquirer')]).toEqual([[], []]);
  });

  it('tells another account, too, that an object is gone, if it may read jobs', () => {
    const { stack, jobs } = executorStack({ largePayloads: true });
    jobs.grantRead(new AccountPrincipal('210987654321'));
    const [policy] = Object.values(resources(Template.fromStack(stack), 'AWS::S3::BucketPolicy'));
    expect(policy?.Properties['PolicyDocument']).toMatchObject({
      Statement: expect.arrayContaining([expect.objectContaining({ Effect: 'Allow', Action: 's3:ListBucket' })]) as unknown,
    });
  });

  it('may be used by another account and another stack, and with the key of the deployment', () => {
    const { stack, jobs } = executorStack({ largePayloads: true });
    const other = new Stack(stack.node.root, 'Other');
    const attributes = { ...jobs.attributes, payloadBucketArn: 'arn:aws:s3:::payloads' };
    expect(jobs.attributes.payloadBucketArn).toBeDefined();
    const imported = JobExecutor.fromJobExecutorAttributes(other, 'Jobs', attributes);
    const { environment } = imported.connect(new Role(other, 'Producer', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') }));
    expect(environment['NIGHTCREW_PAYLOADS']).toBe('payloads');
    const wrong = { ...attributes, payloadBucketArn: 'payloads' };
    expect(() => JobExecutor.fromJobExecutorAttributes(new Stack(), 'Wrong', wrong)).toThrow(
      'payloadBucketArn: "payloads" is no ARN of a bucket',
    );
    jobs.grantEnqueue(new AccountPrincipal('210987654321'));
    Template.fromStack(stack).hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Effect: 'Allow', Action: ['s3:PutObject', 's3:GetObject'] })]) },
    });
    expect(JSON.stringify(Template.fromStack(other).toJSON())).toContain('arn:aws:s3:::payloads/*');
    const keyed = new Stack(quickApp(), 'Keyed', { env: { region: 'eu-west-1', account: '123456789012' } });
    new JobExecutor(keyed, 'Jobs', { workers: { default: { outside: true } }, encryptionKey: new Key(keyed, 'Key'), largePayloads: true });
    const text = JSON.stringify(Template.fromStack(keyed).toJSON());
    expect(text).toContain('aws:kms');
    expect(text).toContain('"s3.');
  });
});

const ACTIONS: Readonly<Record<string, string>> = {
  PUT: 'PutObject',
  HEAD: 'GetObject',
  GET: 'GetObjectVersion',
  DELETE: 'DeleteObject',
  LIST: 'ListBucket',
};

/** Over S3 on loopback: what each role asks of it. Some answers to a put are lost. */
async function stage() {
  let role: 'enqueue' | 'executor' | 'read' | 'operate' | 'cleaner' = 'enqueue';
  const used = new Map<string, Set<string>>();
  let puts = 0;
  const uses = (action: string): void => void used.set(role, (used.get(role) ?? new Set()).add(action));
  const wire = await startS3Wire(['payloads'], {
    mayList() {
      uses('ListBucket');
      return PERMISSIONS[role].payloadBucket !== undefined;
    },
    fault(method, phase) {
      if (phase === 'before') uses(ACTIONS[method] ?? method);
      return method === 'PUT' && phase === 'after' && puts++ % 2 === 0 ? 500 : undefined;
    },
  });
  onTestFinished(wire.close);
  const keys = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  const payloads = s3Payloads({
    environment: { ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_S3: wire.endpoint, NIGHTCREW_PAYLOADS: 'payloads' },
  });
  const load = defineJob('load', { payload: anyPayload, codec: claimCheck({ store: payloads }) });
  const rig = new Rig({ handlers: [load.handle(() => undefined)] });
  return {
    rig,
    load,
    payloads,
    used,
    admin: createAdminOver({ ...rig.deps, jobTypes: new Map([['load', load]]) }),
    as: (next: typeof role) => (role = next),
    lose: wire.lose,
  };
}

describe('the permissions on payloads are exact', () => {
  it('of everybody: all that they ask of S3 is granted, and nothing else is', async () => {
    const { rig, load, payloads, used, admin, as, lose } = await stage();
    const large = { text: 'x'.repeat(20_000) };
    await rig.client.enqueue(load, large);
    const { id } = await rig.client.enqueue(load, large, { delay: 'PT1H' });
    as('read');
    await admin.find(id);
    as('operate');
    await admin.editPayload(id, { ...large, more: 1 });
    await admin.editPayload(id, { ...large, more: 2 });
    await admin.patchPayload(id, { more: 3 });
    as('executor');
    await rig.drain();
    // A handler enqueues as a producer does.
    await rig.client.enqueue(load, large);
    await rig.client.enqueue(load, large);
    as('cleaner');
    const { key } = await payloads.put(makeJobId(0, new Uint8Array(10)), 'no row');
    expect(key).toContain('/');
    used.delete('cleaner');
    await rig.clock.advance(Date.now() - rig.clock.now() + 2 * 86_400_000);
    const calls = new Set<string>();
    const tables = notedTables(rig.tables, (call) => void calls.add(call), false);
    expect(await cleanUnlessOff({ tables, payloads, clock: rig.clock }, { requestId: 'x', deadlineAt: 0 })).toMatchObject({ removed: 4 });
    as('enqueue');
    const lost = await rig.client.enqueue(load, large);
    lose();
    as('read');
    await admin.find(lost.id);
    as('operate');
    await admin.find(lost.id);
    as('executor');
    await rig.drain();
    const dead = (await rig.rows('deadLetters')).find((row) => row['id'] === lost.id);
    expect(dead?.['errorMessage']).toContain('is not in the payload store any more');
    const granted = ({ payloads: objects = [], payloadBucket = [] }: Permissions): Set<string> => new Set([...objects, ...payloadBucket]);
    expect(used.get('enqueue')).toEqual(granted(PERMISSIONS.enqueue));
    expect(used.get('read')).toEqual(granted(PERMISSIONS.read));
    expect(used.get('operate')).toEqual(new Set([...granted(PERMISSIONS.operate), ...granted(PERMISSIONS.read)]));
    expect(used.get('executor')).toEqual(granted(PERMISSIONS.executor));
    expect(used.get('cleaner')).toEqual(granted(PERMISSIONS.cleaner));
    const onTables = Object.entries(PERMISSIONS.cleaner.tables).flatMap(([table, actions]) =>
      actions.map((action) => `${table} ${action}`),
    );
    expect([...calls].toSorted()).toEqual(onTables.toSorted());
  });
});
