import { CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type CfnFunction, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import type { JobExecutorAttributes } from '../../infra/attributes.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { mergePermissions, PERMISSIONS } from '../../infra/permissions.ts';
import { ENVIRONMENT } from '../../shared/config/environment.ts';
import { actionsOn, executorStack, executorTemplate, WORKER_ENTRY, quickApp, resources, statementsOf } from './synth.ts';

function someFunction(stack: Stack, id = 'Orders'): LambdaFunction {
  return new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = 0'),
  });
}

const SHARED_VARIABLES = [ENVIRONMENT.tables, ENVIRONMENT.workers, ENVIRONMENT.deployment];

describe('connecting a function', () => {
  it('gives it permissions to enqueue and the environment that a client reads', () => {
    const { stack, jobs } = executorStack({ settings: { chainLimit: 5 }, history: 'off' });
    jobs.connect(someFunction(stack));
    const template = Template.fromStack(stack);
    const connected = Object.values(resources(template, 'AWS::Lambda::Function')).find(
      ({ Properties }) => Properties['Description'] === undefined,
    );
    const variables = (connected?.Properties['Environment'] as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};
    expect(Object.keys(variables).toSorted()).toEqual([...SHARED_VARIABLES, ENVIRONMENT.settings, ENVIRONMENT.history].toSorted());
    expect(variables[ENVIRONMENT.settings]).toBe('{"chainLimit":5}');
    expect(JSON.stringify(variables)).not.toMatch(/DeadLetterQueue/);
    expect(actionsOn(statementsOf(template, 'Orders'), 'JobsTablesJobs')).toEqual(
      PERMISSIONS.enqueue.tables.jobs?.map((action) => `dynamodb:${action}`).toSorted(),
    );
  });

  it('keeps the environment of its own executor, which knows more than a client, and adds the permissions', () => {
    const events = { log: true };
    const workers = { default: { entry: WORKER_ENTRY, settings: { executorTimeout: Duration.minutes(5) } } };
    const environmentOf = (template: Template): unknown =>
      Object.values(resources(template, 'AWS::Lambda::Function')).find(({ Properties }) =>
        String(Properties['Description']).includes('executor of worker'),
      )?.Properties['Environment'];
    const plain = environmentOf(executorTemplate({ workers, events }));
    const { stack, jobs } = executorStack({ workers, events });
    jobs.connect(jobs.executorFunction(), { cancel: true });
    const template = Template.fromStack(stack);
    expect(environmentOf(template)).toEqual(plain);
    expect(JSON.stringify(plain)).toContain('executorTimeoutMs');
    expect(actionsOn(statementsOf(template, 'Executor'), 'JobsTablesTimers')).toContain('dynamodb:DeleteItem');
  });

  it('twice, to enqueue and then to cancel, leaves one environment', () => {
    const { stack, jobs } = executorStack();
    const fn = someFunction(stack);
    jobs.connect(fn);
    expect(() => jobs.connect(fn, { cancel: true })).not.toThrow();
  });

  it('of another deployment is refused when the app is synthesized, before it loses the tables of the first', () => {
    const { stack, jobs } = executorStack();
    const other = new JobExecutor(stack, 'Other', { workers: { default: { entry: WORKER_ENTRY } } });
    const fn = someFunction(stack);
    jobs.connect(fn);
    expect(() => other.connect(fn)).toThrow(/connect: Shop\/Orders belongs to deployment .*name: 'billing'/);
    expect(() => other.connect(jobs.executorFunction())).toThrow(/belongs to deployment/);
    expect(() => jobs.connect(other.sweeperFunction)).toThrow(/belongs to deployment/);
  });

  it('lets it cancel only where that is asked for', () => {
    const { stack, jobs } = executorStack();
    jobs.connect(someFunction(stack, 'Takes'));
    jobs.connect(someFunction(stack, 'Cancels'), { cancel: true });
    const template = Template.fromStack(stack);
    expect(actionsOn(statementsOf(template, 'Takes'), 'JobsTablesJobs')).not.toContain('dynamodb:DeleteItem');
    expect(actionsOn(statementsOf(template, 'Cancels'), 'JobsTablesJobs')).toContain('dynamodb:DeleteItem');
  });
});

describe('connecting an operator function', () => {
  it('tells it the dead-letter queues whether it became a producer before or after', () => {
    const { stack, jobs } = executorStack({ settings: { chainLimit: 5 } });
    const [before, after] = [someFunction(stack, 'Before'), someFunction(stack, 'After')];
    jobs.connect(before);
    jobs.connectOperator(before);
    jobs.connectOperator(after);
    jobs.connect(after);
    const environments = [before, after].map((fn) => stack.resolve((fn.node.defaultChild as CfnFunction).environment) as unknown);
    expect(JSON.stringify(environments[0])).toMatch(/DeadLetterQueue/);
    expect(environments[0]).toEqual(environments[1]);
  });

  it('gives it permissions to operate and the environment that createAdmin reads', () => {
    const { stack, jobs } = executorStack();
    jobs.connectOperator(someFunction(stack));
    const template = Template.fromStack(stack);
    const functions = Object.values(resources(template, 'AWS::Lambda::Function'));
    const { Environment } = functions.find(({ Properties }) => Properties['Description'] === undefined)?.Properties ?? {};
    const variables = (Environment as { Variables: Record<string, unknown> } | undefined)?.Variables ?? {};
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(SHARED_VARIABLES));
    expect(JSON.stringify(variables)).toMatch(/DeadLetterQueue/);
    expect(actionsOn(statementsOf(template, 'Orders'), 'JobsTablesJobs')).toEqual(
      mergePermissions(PERMISSIONS.read, PERMISSIONS.operate)
        .tables.jobs?.map((action) => `dynamodb:${action}`)
        .toSorted(),
    );
  });
});

describe('grants', () => {
  it.each([
    ['grantEnqueue', PERMISSIONS.enqueue],
    ['grantCancel', mergePermissions(PERMISSIONS.enqueue, PERMISSIONS.cancel)],
    ['grantRead', PERMISSIONS.read],
    ['grantOperate', mergePermissions(PERMISSIONS.read, PERMISSIONS.operate)],
  ] as const)('%s gives exactly what is listed for it', (method, permissions) => {
    const { stack, jobs } = executorStack();
    const role = new Role(stack, 'Somebody', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    expect(jobs[method](role).success).toBe(true);
    const statements = statementsOf(Template.fromStack(stack), 'Somebody').filter(
      ({ Resource }) => !JSON.stringify(Resource).includes('/index/'),
    );
    const given = actionsOn(statements, 'JobsTablesDeadLetters').map((action) => action.replace('dynamodb:', ''));
    expect(given).toEqual([...(permissions.tables.deadLetters ?? [])].toSorted());
  });
});

describe('a job executor that lives elsewhere', () => {
  const attributes: JobExecutorAttributes = {
    deploymentName: 'shop',
    tableArns: Object.fromEntries(
      ['jobs', 'timers', 'deadLetters', 'suspended', 'control', 'history'].map((name) => [
        name,
        `arn:aws:dynamodb:eu-west-1:123456789012:table/shop-${name}`,
      ]),
    ) as JobExecutorAttributes['tableArns'],
    workers: {
      default: {
        laneQueueArns: { default: 'arn:aws:sqs:eu-west-1:123456789012:shop-default' },
        fifoQueueArn: 'arn:aws:sqs:eu-west-1:123456789012:shop.fifo',
      },
    },
  };

  it('can be connected, granted and measured by its attributes', () => {
    const stack = new Stack(quickApp(), 'Other', { env: { account: '123456789012', region: 'eu-west-1' } });
    const jobs = JobExecutor.fromJobExecutorAttributes(stack, 'Jobs', attributes);
    jobs.connect(someFunction(stack));
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          [ENVIRONMENT.deployment]: 'shop',
          [ENVIRONMENT.tables]: Match.stringLikeRegexp('"jobs":"shop-jobs"'),
          [ENVIRONMENT.workers]: Match.anyValue(),
        },
      },
    });
    expect(JSON.stringify(template.toJSON())).toContain('shop.fifo');
    expect(jobs.metricJobsCompleted().dimensions).toEqual({ deployment: 'shop', worker: 'default' });
    expect(JSON.stringify(resources(template, 'AWS::IAM::Policy'))).toContain('table/shop-timers');
  });

  it('takes the attributes of one in the same app', () => {
    const app = quickApp();
    const home = new Stack(app, 'Home');
    const jobs = new JobExecutor(home, 'Jobs', {
      workers: { default: { entry: WORKER_ENTRY, groups: true } },
      settings: { crashLimit: 9 },
    });
    const other = new Stack(app, 'Other');
    const imported = JobExecutor.fromJobExecutorAttributes(other, 'Jobs', jobs.attributes);
    imported.connect(someFunction(other));
    expect(() => Template.fromStack(other)).not.toThrow();
    expect(imported.deploymentName).toBe(jobs.deploymentName);
  });

  it('knows the former names of its workers, and refuses one that two have', () => {
    const stack = new Stack(quickApp(), 'Other');
    const { default: mail } = attributes.workers;
    const renamed = { ...attributes, workers: { mail: { ...mail, formerly: ['default'] } } } as JobExecutorAttributes;
    JobExecutor.fromJobExecutorAttributes(stack, 'Jobs', renamed).connect(someFunction(stack));
    expect(JSON.stringify(Template.fromStack(stack).toJSON())).toContain('\\"formerly\\":[\\"default\\"]');
    const twice = { ...renamed, workers: { ...renamed.workers, ...attributes.workers } };
    expect(() => JobExecutor.fromJobExecutorAttributes(stack, 'Again', twice)).toThrow('"default" is a name of worker default');
    const home = new JobExecutor(new Stack(quickApp(), 'Home'), 'Jobs', { workers: { mail: { entry: WORKER_ENTRY, formerly: ['post'] } } });
    expect(home.attributes.workers).toMatchObject({ mail: { formerly: ['post'] } });
  });

  it('is refused without the ARN of a table, which is named', () => {
    const { history: _, ...tableArns } = attributes.tableArns;
    const incomplete = { ...attributes, tableArns: tableArns as JobExecutorAttributes['tableArns'] };
    expect(() => JobExecutor.fromJobExecutorAttributes(new Stack(quickApp(), 'Other'), 'Jobs', incomplete)).toThrow('tableArns.history');
  });
});

describe('two job executors in one app', () => {
  it('share no name and no metric', () => {
    const stack = new Stack(quickApp(), 'Shop');
    const workers = { default: { entry: WORKER_ENTRY, groups: true } };
    const [first, second] = [new JobExecutor(stack, 'First', { workers }), new JobExecutor(stack, 'Second', { workers })];
    expect(first.deploymentName).not.toBe(second.deploymentName);
    const names = Object.values(resources(Template.fromStack(stack), 'AWS::SQS::Queue')).flatMap(
      ({ Properties }) => Properties['QueueName'] ?? [],
    );
    expect(names).toHaveLength(4);
    expect(new Set(names).size).toBe(4);
  });

  it('in two stacks of the same shape share no name either', () => {
    const app = quickApp();
    const named = ['Blue', 'Green'].flatMap((id) => {
      const stack = new Stack(app, id);
      new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } } });
      return stack;
    });
    const names = named.flatMap((stack) =>
      Object.values(resources(Template.fromStack(stack), 'AWS::SQS::Queue')).flatMap(({ Properties }) => Properties['QueueName'] ?? []),
    );
    expect(new Set(names).size).toBe(2);
  });
});

describe('the logical ids of what must not be lost', () => {
  it('stay as they are: another id is another table', () => {
    const ids = Object.keys(
      resources(executorTemplate({ workers: { default: { entry: WORKER_ENTRY, groups: true } } }), 'AWS::DynamoDB::GlobalTable'),
    );
    expect(ids).toMatchInlineSnapshot(`
      [
        "JobsTablesJobsDCE0961B",
        "JobsTablesTimers721D27F1",
        "JobsTablesDeadLetters16A5262D",
        "JobsTablesSuspendedFE276283",
        "JobsTablesControl842546AA",
        "JobsTablesHistory0EB25438",
      ]
    `);
  });

  it('stay as they are for queues, whose messages would be lost', () => {
    const ids = Object.keys(
      resources(executorTemplate({ workers: { default: { entry: WORKER_ENTRY, groups: true } } }), 'AWS::SQS::Queue'),
    );
    expect(ids).toMatchInlineSnapshot(`
      [
        "JobsWorkerdefaultQueuesDeadLetterQueue09979153",
        "JobsWorkerdefaultQueuesLanedefault18B336FA",
        "JobsWorkerdefaultQueuesFifoDeadLetterQueue956A7411",
        "JobsWorkerdefaultQueuesFifo1588558F",
        "JobsFailedTicksDC4A5551",
      ]
    `);
  });
});

describe('an app', () => {
  it('can leave out alarms and dashboard', () => {
    const template = executorTemplate({ alarms: false, dashboard: false });
    expect(resources(template, 'AWS::CloudWatch::Alarm')).toEqual({});
    expect(resources(template, 'AWS::CloudWatch::Dashboard')).toEqual({});
  });

  it('can name the deployment by itself, and give its environment what is known only later', () => {
    const stack = new Stack(quickApp(), 'Shop');
    const url = new CfnParameter(stack, 'Url').valueAsString;
    const jobs = new JobExecutor(stack, 'Jobs', {
      deploymentName: 'shop',
      removalPolicy: RemovalPolicy.DESTROY,
      workers: { default: { entry: WORKER_ENTRY, environment: { URL: url } } },
    });
    expect(jobs.deploymentName).toBe('shop');
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ URL: { Ref: 'Url' }, NIGHTCREW_DEPLOYMENT: 'shop' }) },
    });
  });
});
