import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, AnyPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type CfnFunction, Code, Function as LambdaFunction, Runtime, SingletonFunction, type FunctionProps } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import type { JobExecutorAttributes } from '../../infra/attributes.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { mergePermissions, PERMISSIONS } from '../../infra/permissions.ts';
import { variableNames } from '../../shared/config/connection-name.ts';
import { decodeEnvironment, ENVIRONMENT } from '../../shared/config/environment.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import { actionsOn, executorStack, quickApp, resources, type Statement, statementsOf, WORKER_ENTRY } from './synth.ts';

const CODE: FunctionProps = { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('exports.handler = 0') };
const workers = { default: { entry: WORKER_ENTRY } };
const OWNER = '111111111111';
const PRODUCER = '222222222222';

const variablesOf = (stack: Stack, fn: LambdaFunction): Readonly<Record<string, unknown>> =>
  (stack.resolve((fn.node.defaultChild as CfnFunction).environment) as { variables: Record<string, unknown> }).variables;

describe('a function that uses two deployments', () => {
  it('has the variables of both, and each is read by its name', () => {
    const { stack, jobs } = executorStack({ deploymentName: 'shop' });
    const billing = new JobExecutor(stack, 'Billing', { workers, deploymentName: 'billing', settings: { chainLimit: 5 } });
    const fn = new LambdaFunction(stack, 'Orders', CODE);
    jobs.connect(fn);
    const { environment } = billing.connect(fn, { name: 'billing' });
    const variables = variablesOf(stack, fn);
    expect(decodeEnvironment(jobs.clientEnvironment()).name).toBe('shop');
    expect(variables[ENVIRONMENT.deployment]).toBe('shop');
    const names = variableNames('billing', 'deployment');
    expect(Object.keys(variables).filter((name) => name.endsWith('_billing'))).toEqual(Object.keys(environment));
    expect(decodeEnvironment(environment, { names })).toMatchObject({ name: 'billing', settings: { chainLimit: 5 } });
    const statements = statementsOf(Template.fromStack(stack), 'OrdersServiceRole');
    for (const table of ['JobsTablesJobs', 'BillingTablesJobs']) expect(actionsOn(statements, table)).toContain('dynamodb:PutItem');
  });

  it('may be the executor of one of them, whose own variables stay as they are', () => {
    const { stack, jobs } = executorStack();
    const billing = new JobExecutor(stack, 'Billing', { workers });
    const before = variablesOf(stack, jobs.executorFunction());
    billing.connect(jobs.executorFunction(), { name: 'billing' });
    expect(variablesOf(stack, jobs.executorFunction())).toMatchObject(before);
  });

  it('may operate one and enqueue to the other', () => {
    const { stack, jobs } = executorStack();
    const billing = new JobExecutor(stack, 'Billing', { workers });
    const fn = new LambdaFunction(stack, 'Orders', CODE);
    jobs.connectOperator(fn, { name: 'shop' });
    billing.connect(fn);
    const variables = variablesOf(stack, fn);
    expect(JSON.stringify(variables['NIGHTCREW_WORKERS_shop'])).toContain('DeadLetterQueue');
    expect(JSON.stringify(variables[ENVIRONMENT.workers])).not.toContain('DeadLetterQueue');
  });

  it('is refused under a name that the other one has, and with one that could not be part of a variable', () => {
    const { stack, jobs } = executorStack();
    const billing = new JobExecutor(stack, 'Billing', { workers });
    const fn = new LambdaFunction(stack, 'Orders', CODE);
    jobs.connect(fn, { name: 'shop' });
    expect(() => billing.connect(fn, { name: 'shop' })).toThrow(/belongs to deployment .*name: 'billing'/);
    for (const name of ['', 'my-shop', '2nd', 'shop_eu', 'x'.repeat(33)]) {
      expect(() => jobs.connect(fn, { name })).toThrow(/^name: .* is not the name of a connection.*such as billing/);
    }
  });
});

describe('connecting', () => {
  it('an alias or a version sets the variables of its function', () => {
    const { stack, jobs } = executorStack();
    const [aliased, versioned] = [new LambdaFunction(stack, 'Orders', CODE), new LambdaFunction(stack, 'Mails', CODE)];
    jobs.connect(aliased.addAlias('live'));
    jobs.connect(versioned.currentVersion, { cancel: true });
    for (const fn of [aliased, versioned]) expect(variablesOf(stack, fn)).toHaveProperty(ENVIRONMENT.tables);
    const template = Template.fromStack(stack);
    expect(actionsOn(statementsOf(template, 'OrdersServiceRole'), 'JobsTablesJobs')).toContain('dynamodb:PutItem');
    expect(actionsOn(statementsOf(template, 'MailsServiceRole'), 'JobsTablesJobs')).toContain('dynamodb:DeleteItem');
  });

  it('a singleton function sets its variables', () => {
    const { stack, jobs } = executorStack();
    jobs.connect(new SingletonFunction(stack, 'Once', { ...CODE, uuid: '6a1e' }));
    const [once] = Object.values(
      Template.fromStack(stack).findResources('AWS::Lambda::Function', { Properties: { Description: Match.absent() } }),
    ) as { Properties: unknown }[];
    expect(JSON.stringify(once?.Properties)).toContain(ENVIRONMENT.tables);
  });

  it('a role grants it the same and returns the variables, for a container to be given', () => {
    const { stack, jobs } = executorStack();
    const role = new Role(stack, 'Task', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    const { grant, environment } = jobs.connect(role);
    expect(grant.success).toBe(true);
    expect(environment).toEqual(jobs.clientEnvironment());
    expect(jobs.connectOperator(role).environment).toEqual(jobs.operatorEnvironment());
    expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
  });

  it('a function that is only imported grants its role and warns that its variables are to be set elsewhere', () => {
    const { stack, jobs } = executorStack();
    const role = Role.fromRoleName(stack, 'Role', 'orders');
    const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';
    jobs.connect(LambdaFunction.fromFunctionAttributes(stack, 'Orders', { functionArn, role, sameEnvironment: true }));
    const warnings = Annotations.fromStack(stack).findWarning(
      '*',
      Match.stringLikeRegexp('imported.*NIGHTCREW_TABLES.*where the function is deployed'),
    );
    expect(warnings).toHaveLength(1);
    expect(actionsOn(statementsOf(Template.fromStack(stack), 'Role'), 'JobsTablesJobs')).toContain('dynamodb:PutItem');
  });
});

describe('a function in another stack of the app', () => {
  it('refers to tables and queues without an export, so that a lane can be removed later', () => {
    const app = quickApp();
    const [home, other] = [new Stack(app, 'Home'), new Stack(app, 'Other')];
    const jobs = new JobExecutor(home, 'Jobs', { workers: { default: { entry: WORKER_ENTRY, groups: true } } });
    jobs.connect(new LambdaFunction(other, 'Orders', CODE), { cancel: true });
    const outputs = Object.values(Template.fromStack(home).findOutputs('*'));
    expect(outputs.filter((output) => 'Export' in output)).toEqual([]);
    const text = JSON.stringify(Template.fromStack(other).toJSON());
    expect(text).toContain('Fn::GetStackOutput');
    expect(text).not.toContain('Fn::ImportValue');
  });
});

/** Statements of the policies that tables, queues and keys have of their own, for another principal than their services. */
function resourceStatements(template: Template): readonly (Statement & { readonly Principal: unknown })[] {
  const tables = Object.values(resources(template, 'AWS::DynamoDB::GlobalTable')).flatMap(
    ({ Properties }) =>
      (Properties['Replicas'] as { ResourcePolicy?: { PolicyDocument: { Statement: Statement[] } } }[])[0]?.ResourcePolicy ?? [],
  );
  const documents = [
    ...tables.map(({ PolicyDocument }) => PolicyDocument),
    ...Object.values(resources(template, 'AWS::SQS::QueuePolicy')).map(({ Properties }) => Properties['PolicyDocument']),
    ...Object.values(resources(template, 'AWS::KMS::Key')).map(({ Properties }) => Properties['KeyPolicy']),
  ] as { Statement: (Statement & { Principal: unknown })[] }[];
  return documents
    .flatMap(({ Statement: all }) => all)
    .filter(({ Effect, Principal }) => Effect === 'Allow' && JSON.stringify(Principal).includes(PRODUCER));
}

function ownerStack(withKey = false): { readonly stack: Stack; readonly jobs: JobExecutor } {
  const stack = new Stack(quickApp(), 'Shop', { env: { account: OWNER, region: 'eu-west-1' } });
  const encryptionKey = withKey ? { encryptionKey: new Key(stack, 'Key') } : {};
  return { stack, jobs: new JobExecutor(stack, 'Jobs', { workers, ...encryptionKey }) };
}

describe('a producer of another account', () => {
  it('is let in by the policies of tables and queues, by exactly the actions of the grant', () => {
    const { stack, jobs } = ownerStack();
    expect(jobs.grantCancel(new AccountPrincipal(PRODUCER)).success).toBe(true);
    const template = Template.fromStack(stack);
    const wanted = mergePermissions(PERMISSIONS.enqueue, PERMISSIONS.cancel);
    for (const [id, { Properties }] of Object.entries(resources(template, 'AWS::DynamoDB::GlobalTable'))) {
      const [replica] = Properties['Replicas'] as { ResourcePolicy: { PolicyDocument: { Statement: Statement[] } } }[];
      const name = TABLE_NAMES.find((one) => id.toLowerCase().startsWith(`jobstables${one.toLowerCase()}`)) ?? 'jobs';
      expect(replica?.ResourcePolicy.PolicyDocument.Statement).toEqual([
        {
          Effect: 'Allow',
          Action: wanted.tables[name]?.map((action) => `dynamodb:${action}`),
          Principal: { AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::${PRODUCER}:root`]] } },
          Resource: '*',
        },
      ]);
    }
    const onQueues = resourceStatements(template).filter(({ Action }) => String(Action).startsWith('sqs:'));
    expect(onQueues.map(({ Action }) => Action)).toEqual(['sqs:SendMessage']);
  });

  it('may use the key of the deployment, by its policy', () => {
    const { stack, jobs } = ownerStack(true);
    jobs.grantEnqueue(new AccountPrincipal(PRODUCER));
    const onKey = resourceStatements(Template.fromStack(stack)).filter(({ Action }) => String(Action).includes('kms:'));
    expect(onKey).toEqual([
      expect.objectContaining({ Action: expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey']), Resource: '*' }),
    ]);
  });

  it('may use a key that is only imported when its owner says so: the statement is a warning', () => {
    const stack = new Stack(quickApp(), 'Shop', { env: { account: OWNER, region: 'eu-west-1' } });
    const arn = `arn:aws:kms:eu-west-1:${OWNER}:key/11111111-2222-3333-4444-555555555555`;
    const jobs = new JobExecutor(stack, 'Jobs', { workers, encryptionKey: Key.fromKeyArn(stack, 'Key', arn) });
    jobs.grantEnqueue(new AccountPrincipal(PRODUCER));
    const [warning, ...others] = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('^enqueue: '));
    expect(others).toEqual([]);
    expect(warning?.entry.data).toMatch(new RegExp(`^enqueue: ${arn} is imported.*"kms:ViaService".*${PRODUCER}`));
    expect(resourceStatements(Template.fromStack(stack)).map(({ Action }) => String(Action))).toContain('sqs:SendMessage');
  });

  it('leaves the policies alone when it is of this account', () => {
    const { stack, jobs } = ownerStack();
    jobs.grantEnqueue(new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }));
    expect(JSON.stringify(resources(Template.fromStack(stack), 'AWS::DynamoDB::GlobalTable'))).not.toContain('ResourcePolicy');
  });

  it('is refused when it is everybody', () => {
    const { jobs } = ownerStack();
    expect(() => jobs.grantEnqueue(new AnyPrincipal())).toThrow(/^enqueue: .*everybody in every account.*AccountPrincipal/);
  });

  const attributes: JobExecutorAttributes = {
    deploymentName: 'shop',
    tableArns: Object.fromEntries(
      TABLE_NAMES.map((name) => [name, `arn:aws:dynamodb:eu-west-1:${OWNER}:table/shop-${name}`]),
    ) as JobExecutorAttributes['tableArns'],
    workers: { default: { laneQueueArns: { default: `arn:aws:sqs:eu-west-1:${OWNER}:shop-default` } } },
  };
  const connected = (account: string, region = 'eu-west-1') => {
    const stack = new Stack(new App(), 'Other', { env: { account, region } });
    const jobs = JobExecutor.fromJobExecutorAttributes(stack, 'Jobs', attributes);
    const { environment } = jobs.connect(new LambdaFunction(stack, 'Orders', CODE));
    return { environment, template: Template.fromStack(stack) };
  };

  it('names the tables by their ARNs, since a name is looked for in its own account, and has the identity policy too', () => {
    const { environment, template } = connected(PRODUCER);
    const { tables, workers: queues } = decodeEnvironment(environment);
    expect(tables).toEqual(attributes.tableArns);
    expect(queues.get('default')?.lanes['default']).toContain(`/${OWNER}/shop-default`);
    const actions = actionsOn(statementsOf(template, 'OrdersServiceRole'), `${OWNER}:table/shop-jobs`);
    expect(actions).toEqual(PERMISSIONS.enqueue.tables.jobs?.map((action) => `dynamodb:${action}`).toSorted());
  });

  it('names them by their names in the account that owns them', () => {
    const { environment } = connected(OWNER);
    expect(decodeEnvironment(environment).tables.jobs).toBe('shop-jobs');
  });

  it('is refused in another Region, where its functions would not reach them', () => {
    expect(() => connected(PRODUCER, 'us-east-1')).toThrow(/^tableArns.jobs: .* is in eu-west-1, and this stack is in us-east-1/);
  });
});
