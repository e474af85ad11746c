import { Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AttributeType, type ITable, ProjectionType, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AccountPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import type { AdoptableTable, AdoptedTables } from '../../infra/adopted-tables.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { mergePermissions, PERMISSIONS } from '../../infra/permissions.ts';
import { decodeEnvironment, ENVIRONMENT } from '../../shared/config/environment.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { actionsOn, quickApp, resources, type Statement, statementsOf, validatedApp, WORKER_ENTRY } from './synth.ts';

const ACCOUNT = '123456789012';
const env = { region: 'eu-west-1', account: ACCOUNT };
const workers = { default: { entry: WORKER_ENTRY } };
const arnOf = (name: string) => `arn:aws:dynamodb:eu-west-1:${ACCOUNT}:table/restored-${name}`;

/** A stack that adopts the tables that `of` makes of each name. */
function adopting(
  of: (stack: Stack, name: TableName) => AdoptableTable | undefined,
  props: Partial<JobExecutorProps> = {},
  app = quickApp(),
) {
  const stack = new Stack(app, 'Shop', { env });
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, of(stack, name)])) as AdoptedTables;
  return { app, stack, jobs: new JobExecutor(stack, 'Jobs', { workers, tables, ...props }) };
}

const restored = (stack: Stack, name: TableName): ITable => Table.fromTableArn(stack, `Restored-${name}`, arnOf(name));
const onlyJobs = (of: (stack: Stack) => AdoptableTable) => (stack: Stack, name: TableName) => (name === 'jobs' ? of(stack) : undefined);
const role = (stack: Stack, id: string) => new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });

describe('tables that a deployment adopts', () => {
  it('are not made, and are the tables of every function, whose permissions reach them and their indexes', () => {
    const { stack, jobs } = adopting(restored);
    const template = Template.fromStack(stack);
    expect(resources(template, 'AWS::DynamoDB::GlobalTable')).toEqual({});
    for (const { Properties } of Object.values(resources(template, 'AWS::Lambda::Function'))) {
      const { Variables } = Properties['Environment'] as { Variables: Record<string, string> };
      const named = Object.fromEntries(TABLE_NAMES.map((name) => [name, `restored-${name}`]));
      expect(JSON.parse(Variables[ENVIRONMENT.tables] as string)).toEqual(named);
    }
    expect(decodeEnvironment(jobs.clientEnvironment()).tables.jobs).toBe('restored-jobs');
    const sweeper = statementsOf(template, 'Sweeper');
    expect(actionsOn(sweeper, `${arnOf('jobs')}"`)).toEqual(
      PERMISSIONS.sweeper.tables.jobs?.map((action) => `dynamodb:${action}`).toSorted(),
    );
    for (const index of ['suspended/index/byCause', 'deadLetters/index/byFingerprint']) {
      expect(actionsOn(sweeper, arnOf(index))).toContain('dynamodb:Query');
    }
  });

  it('are reached by whom the deployment lets in, with their indexes', () => {
    const { stack, jobs } = adopting(restored);
    jobs.connectOperator(role(stack, 'Operator'));
    const statements = statementsOf(Template.fromStack(stack), 'Operator');
    const wanted = mergePermissions(PERMISSIONS.read, PERMISSIONS.operate);
    for (const name of TABLE_NAMES) {
      expect(actionsOn(statements, `${arnOf(name)}"`)).toEqual(wanted.tables[name]?.map((action) => `dynamodb:${action}`).toSorted());
    }
    const indexes = Object.entries(wanted.indexes ?? {}).flatMap(([name, of]) => of.map((index) => `${arnOf(name)}/index/${index}`));
    for (const index of indexes) expect(actionsOn(statements, index)).toEqual(['dynamodb:PartiQLSelect', 'dynamodb:Query']);
  });

  it('may be some of the six: the others keep their logical ids', () => {
    const made = Object.keys(resources(Template.fromStack(adopting(() => undefined).stack), 'AWS::DynamoDB::GlobalTable'));
    const { stack } = adopting((scope, name) => (name === 'jobs' ? restored(scope, name) : undefined));
    const left = Object.keys(resources(Template.fromStack(stack), 'AWS::DynamoDB::GlobalTable'));
    expect(left).toEqual(made.filter((id) => !id.startsWith('JobsTablesJobs')));
    expect(left).toHaveLength(5);
  });

  it('are watched by the alarm and the dashboard under their names', () => {
    const template = Template.fromStack(adopting(restored).stack).toJSON();
    const text = JSON.stringify(Object.values((template as { Resources: Record<string, { Type: string }> }).Resources));
    expect(text).toMatch(/WriteThrottleEvents[^]*restored-jobs|restored-jobs[^]*WriteThrottleEvents/);
    expect(text).toContain('restored-history');
  });

  it('are part of the attributes, so that another app reaches them too', () => {
    const { jobs } = adopting(restored);
    expect(jobs.attributes.tableArns).toEqual(Object.fromEntries(TABLE_NAMES.map((name) => [name, arnOf(name)])));
    expect(jobs.attributes).not.toHaveProperty('tableKeyArns');
    const other = new Stack(quickApp(), 'Other', { env });
    const attributes = {
      ...jobs.attributes,
      workers: { default: { laneQueueArns: { default: `arn:aws:sqs:eu-west-1:${ACCOUNT}:lane` } } },
    };
    JobExecutor.fromJobExecutorAttributes(other, 'Jobs', attributes).connect(role(other, 'Producer'));
    expect(actionsOn(statementsOf(Template.fromStack(other), 'Producer'), `${arnOf('jobs')}"`)).toContain('dynamodb:PutItem');
  });

  it("are accepted by CloudFormation's own schemas", () => {
    expect(() => adopting(restored, {}, validatedApp()).app.synth()).not.toThrow();
  });

  it('are opened to another account by their owner: the statements for their policies are a warning', () => {
    const { stack, jobs } = adopting(restored);
    jobs.grantEnqueue(new AccountPrincipal('999999999999'));
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('^enqueue: .*is imported'));
    expect(warnings.map(({ entry }) => (entry.data as string).split(' ')[1])).toEqual(TABLE_NAMES.map(arnOf));
    expect(warnings[0]?.entry.data).toMatch(
      /Make sure that it allows: \{"Action":\["dynamodb:GetItem","dynamodb:PutItem".*999999999999:root/,
    );
  });
});

describe('the key of an adopted table', () => {
  const keyArn = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/11111111-2222-3333-4444-555555555555`;
  const encrypted = (stack: Stack, name: TableName): ITable => {
    const encryptionKey = Key.fromKeyArn(stack, `Key-${name}`, keyArn);
    return Table.fromTableAttributes(stack, `Restored-${name}`, { tableArn: arnOf(name), encryptionKey });
  };
  const onKey = (statements: readonly Statement[]) => statements.filter(({ Resource }) => Resource === keyArn);

  it('is used by functions and producers through DynamoDB alone, once however many tables have it', () => {
    const { stack, jobs } = adopting(encrypted);
    jobs.connect(role(stack, 'Producer'));
    const template = Template.fromStack(stack);
    for (const who of ['Executor', 'Acquirer', 'Sweeper', 'Producer']) {
      const found = onKey(statementsOf(template, who));
      expect(found).toMatchObject([{ Condition: { StringEquals: { 'kms:ViaService': ['dynamodb.eu-west-1.amazonaws.com'] } } }]);
      expect(found[0]?.Action).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey']));
    }
    expect(jobs.attributes.tableKeyArns).toEqual([keyArn]);
  });

  it('may be that of the deployment, which is used through SQS too', () => {
    const { stack } = adopting(encrypted, { encryptionKey: Key.fromKeyArn(new Stack(quickApp(), 'Keys', { env }), 'Key', keyArn) });
    const [statement, ...others] = onKey(statementsOf(Template.fromStack(stack), 'Sweeper'));
    expect(others).toEqual([]);
    expect(JSON.stringify(statement?.Condition)).toContain('sqs.eu-west-1');
  });

  it('is used by a producer that knows the deployment by its attributes', () => {
    const other = new Stack(quickApp(), 'Other', { env });
    const lane = { laneQueueArns: { default: `arn:aws:sqs:eu-west-1:${ACCOUNT}:lane` } };
    const attributes = { ...adopting(encrypted).jobs.attributes, workers: { default: lane } };
    JobExecutor.fromJobExecutorAttributes(other, 'Jobs', attributes).grantRead(role(other, 'Reader'));
    expect(onKey(statementsOf(Template.fromStack(other), 'Reader'))).toMatchObject([{ Action: ['kms:Decrypt', 'kms:DescribeKey'] }]);
  });
});

describe('an adopted table that is made in this app', () => {
  /** A table as the spec of that name wants it, changed. */
  const made = (name: TableName, change: { ttl?: string; indexes?: readonly string[]; sort?: string; replica?: boolean } = {}) => {
    const spec = TABLE_SPECS[name];
    const { ttl = spec.ttl, indexes = Object.keys(spec.indexes), sort = spec.sort } = change;
    const string = (key: string) => ({ name: key, type: AttributeType.STRING });
    const { app } = adopting((stack, one) => {
      if (one !== name) return undefined;
      return new TableV2(stack, 'Own', {
        partitionKey: string(spec.partition),
        ...(sort === undefined ? {} : { sortKey: string(sort) }),
        ...(ttl === undefined ? {} : { timeToLiveAttribute: ttl }),
        ...(change.replica === true ? { replicas: [{ region: 'us-east-1' }] } : {}),
        globalSecondaryIndexes: indexes.map((indexName) => ({
          indexName,
          partitionKey: string(spec.indexes[indexName]?.partition ?? 'x'),
          ...(spec.indexes[indexName]?.sort === undefined ? {} : { sortKey: string(spec.indexes[indexName].sort) }),
          projectionType: ProjectionType.ALL,
        })),
      });
    });
    return app;
  };

  it.each(TABLE_NAMES)('is taken for %s if its keys, indexes and TTL are those', (name) => {
    expect(() => made(name).synth()).not.toThrow();
  });

  it.each([
    [
      'another sort key',
      made('timers', { sort: 'dueAt' }),
      'tables.timers: Shop/Own has the key shard, dueAt. Give it the key shard, due.',
    ],
    ['no index', made('suspended', { indexes: [] }), 'tables.suspended: Shop/Own lacks the index byCause. Add a global secondary index'],
    ['an index less', made('deadLetters', { indexes: ['byType'] }), 'lacks the index byFingerprint'],
    ['no TTL', made('control', { ttl: '' }), "tables.control: Shop/Own keeps rows forever. Set timeToLiveAttribute: 'expiresAt'."],
    ['another TTL', made('history', { ttl: 'ttl' }), 'tables.history: Shop/Own keeps rows forever'],
    ['replicas', made('jobs', { replica: true }), 'tables.jobs: Shop/Own has replicas: the tables have no replicas'],
  ] as const)('is refused at synth with %s', (_, app, message) => {
    expect(() => app.synth()).toThrow(message);
  });

  it('may be of the older kind, whose keys are judged as well', () => {
    const own = (partition: string) =>
      adopting(onlyJobs((stack) => new Table(stack, 'Own', { partitionKey: { name: partition, type: AttributeType.STRING } }))).app;
    expect(() => own('id').synth()).not.toThrow();
    expect(() => own('key').synth()).toThrow('tables.jobs: Shop/Own has the key key. Give it the key id.');
  });
});

describe('tables that are refused', () => {
  it.each<readonly [string, unknown, string]>([
    ['a list', [], 'tables: an array are no tables. Give them by name'],
    ['a text', 'mine', 'tables: "mine" are no tables'],
    ['a name that none has', { job: {} }, 'tables.job: is no table of a deployment. Did you mean jobs?'],
    ['the name of a table in place of it', { jobs: 'shop-jobs' }, 'tables.jobs: "shop-jobs" is no table. Use TableV2.fromTableName'],
    ['nothing', { jobs: null }, 'tables.jobs: null is no table'],
  ])('as %s', (_, tables, message) => {
    const stack = new Stack(quickApp(), 'Shop', { env });
    expect(() => new JobExecutor(stack, 'Jobs', { workers, tables: tables as AdoptedTables })).toThrow(message);
  });

  it('as one table for two', () => {
    const twice = () => adopting((stack, name) => (/jobs|timers/.test(name) ? Table.fromTableName(stack, name, 'mine') : undefined));
    expect(twice).toThrow('tables.timers: "mine" is table jobs already. Each of the six is a table of its own.');
  });

  it.each([
    ['Region', arnOf('jobs').replace('eu-west-1', 'us-east-1'), 'restored-jobs is in Region us-east-1, and this stack in eu-west-1'],
    ['account', arnOf('jobs').replace(ACCOUNT, '999999999999'), 'restored-jobs is in account 999999999999, and this stack in 123456789012'],
  ])('as a table of another %s, which no transaction reaches', (_, arn, message) => {
    expect(() => adopting(onlyJobs((stack) => Table.fromTableArn(stack, 'Other', arn)))).toThrow(`tables.jobs: ${message}: no transaction`);
  });

  it('with options of ours, which would change nothing', () => {
    const tableProps = { jobs: { recoveryPeriodInDays: 7 } };
    expect(() => adopting(restored, { tableProps })).toThrow(
      'tableProps.jobs: table jobs is adopted (tables.jobs), and its options are set',
    );
    expect(() => adopting(restored, { tableProps: { recoveryPeriodInDays: 7 } })).not.toThrow();
  });
});
