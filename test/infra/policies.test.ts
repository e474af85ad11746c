import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { describe, expect, it } from 'vitest';
import { JobExecutor } from '../../infra/job-executor.ts';
import { OrderServiceStack } from '../../infra/order-service-stack.ts';
import { mergePermissions, PERMISSIONS, type Permissions, type Role } from '../../infra/permissions.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { actionsOn, executorTemplate, quickApp, resources, type Statement, statementsOf, WORKER_ENTRY } from './synth.ts';

const template = executorTemplate({ workers: { default: { entry: WORKER_ENTRY, groups: true }, reports: { entry: WORKER_ENTRY } } });
const LOGICAL: Readonly<Record<TableName, string>> = {
  jobs: 'JobsTablesJobs',
  timers: 'JobsTablesTimers',
  deadLetters: 'JobsTablesDeadLetters',
  suspended: 'JobsTablesSuspended',
  control: 'JobsTablesControl',
  history: 'JobsTablesHistory',
};

/** What statements allow on tables, in the form of the permission data; indexes apart. */
function allowed(statements: readonly Statement[]): Readonly<Record<string, readonly string[]>> {
  const onTables = statements.filter(({ Resource }) => !JSON.stringify(Resource).includes('/index/'));
  const byTable = TABLE_NAMES.map(
    (name) => [name, actionsOn(onTables, LOGICAL[name]).map((action) => action.replace('dynamodb:', ''))] as const,
  );
  return Object.fromEntries(byTable.filter(([, actions]) => actions.length > 0));
}

function wanted({ tables }: Permissions): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(tables).map(([name, actions]) => [name, actions.toSorted()]));
}

describe('the policies of the functions', () => {
  it.each([
    ['acquirer', 'JobsAcquirer', PERMISSIONS.acquirer],
    ['sweeper', 'JobsSweeper', PERMISSIONS.sweeper],
    ['executor', 'JobsWorkerdefault', mergePermissions(PERMISSIONS.executor, PERMISSIONS.enqueue)],
  ] as const)('allow the %s exactly what is listed for it on tables', (_, policy, permissions) => {
    expect(allowed(statementsOf(template, policy))).toEqual(wanted(permissions));
  });

  it('let the sweeper query one index of suspended jobs and one of dead letters, and no other function any', () => {
    const indexes = Object.keys(resources(template, 'AWS::IAM::Policy'))
      .flatMap((id) => statementsOf(template, id))
      .filter(({ Resource }) => JSON.stringify(Resource).includes('/index/'));
    expect(indexes).toHaveLength(1);
    expect(JSON.stringify(indexes[0]?.Resource).match(/\/index\/\w+/g)).toEqual(['/index/byCause', '/index/byFingerprint']);
    expect(indexes[0]?.Action).toBe('dynamodb:Query');
  });

  it('let an executor receive from its own queues only, and send to those of every worker', () => {
    const statements = statementsOf(template, 'JobsWorkerdefault');
    const receiving = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map((action) => `sqs:${action}`);
    expect(actionsOn(statements, 'WorkerdefaultQueuesLane')).toEqual([...receiving, 'sqs:SendMessage']);
    expect(actionsOn(statements, 'WorkerreportsQueuesLane')).toEqual(['sqs:SendMessage']);
    expect(actionsOn(statements, 'WorkerreportsQueuesDeadLetterQueue')).toEqual([]);
  });

  it('have no wildcard in an action, and none in a resource but that of X-Ray', () => {
    for (const id of Object.keys(resources(template, 'AWS::IAM::Policy'))) {
      for (const { Action, Resource } of statementsOf(template, id)) {
        expect(JSON.stringify(Action)).not.toContain('*');
        if (JSON.stringify(Resource).includes('*')) expect(Action).toEqual(['xray:PutTraceSegments', 'xray:PutTelemetryRecords']);
      }
    }
  });

  it('come from no managed policy and no shared role', () => {
    const roles = Object.values(resources(template, 'AWS::IAM::Role'));
    expect(roles).toHaveLength(5);
    for (const { Properties } of roles) expect(Properties).not.toHaveProperty('ManagedPolicyArns');
  });

  it('add in a VPC what Lambda does with network interfaces, and no log group but their own', () => {
    const stack = new Stack(quickApp(), 'Shop');
    const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', { vpcId: 'vpc-1', availabilityZones: ['a'], privateSubnetIds: ['subnet-1'] });
    new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, functionProps: { vpc } });
    const inVpc = Template.fromStack(stack);
    for (const { Properties } of Object.values(resources(inVpc, 'AWS::IAM::Role')))
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    const statements = statementsOf(inVpc, 'JobsSweeper');
    const network = statements.filter(({ Action }) => JSON.stringify(Action).includes('ec2:'));
    expect(network).toEqual([
      expect.objectContaining({ Resource: '*', Action: expect.arrayContaining(['ec2:CreateNetworkInterface']) as string[] }),
    ]);
    const logs = statements.filter(({ Action }) => JSON.stringify(Action).includes('logs:'));
    expect(logs.map(({ Resource }) => Resource)).toEqual([{ 'Fn::GetAtt': [expect.stringContaining('JobsSweeperLogs'), 'Arn'] }]);
    const fn = Object.entries(inVpc.findResources('AWS::Lambda::Function')).find(([id]) => id.startsWith('JobsSweeper'))?.[1] as {
      DependsOn: string[];
    };
    expect(fn.DependsOn).toContainEqual(expect.stringContaining('JobsSweeperRoleDefaultPolicy'));
  });

  it('never let a function purge a queue, or delete or change a table or queue', () => {
    const forbidden = /PurgeQueue|DeleteQueue|SetQueueAttributes|DeleteTable|UpdateTable|PartiQL(?!Update|Delete)|PassRole/;
    expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).not.toMatch(forbidden);
  });
});

describe('the permission data', () => {
  it.each(Object.keys(PERMISSIONS) as Role[])('names no action of %s twice', (role) => {
    for (const actions of Object.values(PERMISSIONS[role].tables)) expect(new Set(actions).size).toBe(actions.length);
  });

  it('lets a reader write nothing', () => {
    const written = Object.values(PERMISSIONS.read.tables)
      .flat()
      .filter((action) => /Put|Update|Delete|Write/.test(action));
    expect(written).toEqual([]);
  });

  it('is united without losing or doubling anything', () => {
    const united = mergePermissions(
      { tables: { jobs: ['GetItem', 'PutItem'] }, queues: ['SendMessage'] },
      { tables: { jobs: ['PutItem'], timers: ['Query'] }, indexes: { jobs: ['x'] } },
    );
    expect(united).toMatchObject({
      tables: { jobs: ['GetItem', 'PutItem'], timers: ['Query'] },
      indexes: { jobs: ['x'] },
      queues: ['SendMessage'],
    });
  });
});

describe('the policy of the example', () => {
  it('allows its order function to enqueue and cancel, and nothing else', () => {
    const stack = new OrderServiceStack(quickApp(), 'Shop', { removalPolicy: RemovalPolicy.RETAIN });
    const statements = statementsOf(Template.fromStack(stack), 'OrderFunction');
    expect(allowed(statements)).toEqual(wanted(mergePermissions(PERMISSIONS.enqueue, PERMISSIONS.cancel)));
    expect(actionsOn(statements, 'QueuesLane')).toEqual(['sqs:SendMessage']);
  });

  it('gives its order function nothing that only the worker needs: neither the address nor the secret of webhooks', () => {
    const stack = new OrderServiceStack(quickApp(), 'Shop', { removalPolicy: RemovalPolicy.RETAIN });
    const shown = Template.fromStack(stack);
    const variables = Object.entries(resources(shown, 'AWS::Lambda::Function')).map(
      ([id, { Properties }]) => [id, Object.keys((Properties['Environment'] as { Variables: object }).Variables)] as const,
    );
    const own = (part: string) => variables.find(([id]) => id.startsWith(part))?.[1].filter((name) => !/^N(IGHTCREW|ODE)_/.test(name));
    expect(own('OrderFunction')).toEqual(['ORDERS_TABLE']);
    expect(own('JobsWorkerdefault')?.toSorted()).toEqual(['ORDERS_TABLE', 'WEBHOOK_SECRET', 'WEBHOOK_URL']);
    shown.hasParameter('WebhookSecret', { NoEcho: true });
  });
});
