import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { actionsOn, executorStack, quickApp, type Statement, statementsOf, WORKER_ENTRY } from './synth.ts';

type GrantName = 'grantRead' | 'grantOperate' | 'grantActivate';

/** The statements that a role gets by one grant. */
function granted(name: GrantName, props: Partial<JobExecutorProps> = {}): readonly Statement[] {
  const { stack, jobs } = executorStack({ workers: { default: { entry: WORKER_ENTRY, groups: true } }, ...props });
  jobs[name](new Role(stack, 'Person', { assumedBy: new AccountRootPrincipal() }));
  return statementsOf(Template.fromStack(stack), 'Person');
}

const actions = (statements: readonly Statement[]): readonly string[] => [
  ...new Set(statements.flatMap(({ Action }) => (typeof Action === 'string' ? [Action] : Action))),
];
const CHANGING = /Put|Update|Delete|Write|Send|Receive|Change|Pass|Purge|Create/;

describe('a role with grantRead', () => {
  const statements = granted('grantRead');

  it('may change nothing', () => {
    expect(actions(statements).filter((action) => CHANGING.test(action))).toEqual([]);
  });

  it('may look at how tables and queues are set up, and at the one stack that says where they are', () => {
    const checkup = ['dynamodb:DescribeContinuousBackups', 'dynamodb:DescribeTable', 'dynamodb:DescribeTimeToLive'];
    for (const table of ['JobsTablesJobs', 'JobsTablesControl', 'JobsTablesHistory']) {
      expect(actionsOn(statements, table)).toEqual(expect.arrayContaining(checkup));
    }
    for (const queue of ['QueuesLanedefault', 'QueuesFifo', 'QueuesDeadLetterQueue']) {
      expect([...new Set(actionsOn(statements, queue))]).toEqual(['sqs:GetQueueAttributes']);
    }
    const stacks = statements.filter(({ Action }) => Action === 'cloudformation:DescribeStacks');
    expect(stacks.map(({ Resource }) => Resource)).toEqual([{ Ref: 'AWS::StackId' }]);
  });

  it('may run the PartiQL statements of the page on the AWS console, on each table and index that they name', () => {
    const page = readFileSync(new URL('../../docs/operate/aws-console.md', import.meta.url), 'utf8');
    const asked = statements
      .filter(({ Action }) => [Action].flat().includes('dynamodb:PartiQLSelect'))
      .map(({ Resource }) => JSON.stringify(Resource));
    const named = [...page.matchAll(/FROM "(\w+)"(?:\."(\w+)")?/g)];
    expect(named.length).toBeGreaterThan(10);
    for (const [, table = '', index] of named) {
      const suffix = index === undefined ? '' : `/index/${index}`;
      expect(
        asked.some((resource) => resource.includes(`Tables${table}`) && resource.includes(suffix)),
        `${table}${suffix}`,
      ).toBe(true);
    }
  });

  it('may not even look at what switches the deployment: who needs that is given it apart', () => {
    expect(actions(statements).filter((action) => /^(scheduler|lambda):/.test(action))).toEqual([]);
  });
});

describe('a role with grantOperate', () => {
  it('may do what grantRead allows, and more', () => {
    const operating = actions(granted('grantOperate'));
    expect(actions(granted('grantRead')).filter((action) => !operating.includes(action))).toEqual([]);
    expect(operating).toEqual(expect.arrayContaining(['dynamodb:UpdateItem', 'sqs:SendMessage']));
  });

  it('may not receive messages, purge queues, or change tables, functions and schedules', () => {
    const never = /Receive|DeleteMessage|Purge|Table$|^(scheduler|lambda|iam):/;
    expect(actions(granted('grantOperate')).filter((action) => never.test(action) && !action.includes('Describe'))).toEqual([]);
  });
});

describe('a role with grantActivate', () => {
  it('may change its ticks and event sources, and hand on the role of the ticks', () => {
    const statements = granted('grantActivate');
    expect(actions(statements)).toEqual([
      'scheduler:GetSchedule',
      'scheduler:UpdateSchedule',
      'iam:PassRole',
      'lambda:GetEventSourceMapping',
      'lambda:UpdateEventSourceMapping',
    ]);
    const text = JSON.stringify(statements);
    expect(text).not.toContain('*');
    expect(actionsOn(statements, 'JobsTicksAcquirer0')).toEqual(['scheduler:GetSchedule', 'scheduler:UpdateSchedule']);
    expect(actionsOn(statements, 'JobsTicksRole')).toEqual(['iam:PassRole']);
    expect(text).toContain(':event-source-mapping:');
    expect(actionsOn(statements, 'JobsWorkerdefaultExecutor')).toEqual(['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping']);
  });

  it('has no schedule to change where EventBridge rules tick', () => {
    expect(actions(granted('grantActivate', { ticks: 'rules' })).filter((action) => !action.startsWith('lambda:'))).toEqual([]);
  });
});

it('a stack that only knows a deployment by its attributes grants no look at the stack that deploys it', () => {
  const stack = new Stack(quickApp(), 'Elsewhere');
  const { jobs } = executorStack();
  const imported = JobExecutor.fromJobExecutorAttributes(stack, 'Jobs', {
    ...jobs.attributes,
    tableArns: Object.fromEntries(
      Object.keys(jobs.tables).map((name) => [name, `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`]),
    ) as typeof jobs.attributes.tableArns,
    workers: { default: { laneQueueArns: { default: 'arn:aws:sqs:eu-central-1:123456789012:lane' } } },
    deploymentName: 'shop',
  });
  imported.grantRead(new Role(stack, 'Person', { assumedBy: new AccountRootPrincipal() }));
  expect(actions(statementsOf(Template.fromStack(stack), 'Person')).filter((action) => action.startsWith('cloudformation:'))).toEqual([]);
});
