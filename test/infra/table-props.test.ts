import { RemovalPolicies, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import type { TablesProps } from '../../infra/table-props.ts';
import { executorStack, executorTemplate, quickApp, resources, validatedApp, WORKER_ENTRY } from './synth.ts';

interface Made {
  readonly id: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy: string;
  readonly UpdateReplacePolicy: string;
}

function tables(props: Partial<JobExecutorProps>): readonly Made[] {
  const found = resources(executorTemplate(props), 'AWS::DynamoDB::GlobalTable') as unknown as Record<string, Omit<Made, 'id'>>;
  return Object.entries(found).map(([id, made]) => ({ id, ...made }));
}

function table(name: string, props: TablesProps): Made {
  return tables({ tableProps: props }).find(({ id }) => id.startsWith(`JobsTables${name}`)) as Made;
}

const replica = ({ Properties }: Made) => (Properties['Replicas'] as Record<string, unknown>[])[0] ?? {};
const indexes = ({ Properties }: Made) => (Properties['GlobalSecondaryIndexes'] ?? []) as Record<string, unknown>[];
const WARM = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 40_000 };
const WARM_OF_TEMPLATE = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 40_000 };

describe('warm throughput', () => {
  it('is given to a table and to its indexes, since a throttled index throttles its table', () => {
    const made = table('DeadLetters', { deadLetters: { warmThroughput: WARM } });
    expect(made.Properties['WarmThroughput']).toEqual(WARM_OF_TEMPLATE);
    expect(indexes(made).map((index) => index['WarmThroughput'])).toEqual([WARM_OF_TEMPLATE, WARM_OF_TEMPLATE]);
  });

  it('of one table leaves the others as they are, and that of all is overridden by it', () => {
    const own = { writeUnitsPerSecond: 8_000 };
    expect(table('Timers', { jobs: { warmThroughput: WARM } }).Properties).not.toHaveProperty('WarmThroughput');
    const both = { warmThroughput: WARM, jobs: { warmThroughput: own } };
    expect(table('Jobs', both).Properties['WarmThroughput']).toEqual({ WriteUnitsPerSecond: 8_000 });
    expect(table('Timers', both).Properties['WarmThroughput']).toEqual(WARM_OF_TEMPLATE);
  });
});

it('the most units a second bound a table and its indexes', () => {
  const made = table('Suspended', { maxReadRequestUnits: 500, maxWriteRequestUnits: 600 });
  expect(made.Properties['WriteOnDemandThroughputSettings']).toEqual({ MaxWriteRequestUnits: 600 });
  expect(replica(made)['ReadOnDemandThroughputSettings']).toEqual({ MaxReadRequestUnits: 500 });
  expect(indexes(made).map((index) => index['WriteOnDemandThroughputSettings'])).toEqual([{ MaxWriteRequestUnits: 600 }]);
  const [read] = replica(made)['GlobalSecondaryIndexes'] as Record<string, unknown>[];
  expect(read?.['ReadOnDemandThroughputSettings']).toEqual({ MaxReadRequestUnits: 500 });
});

it('the days of recovery are those that were given, and recovery is on with and without them', () => {
  const of = (made: Made) => replica(made)['PointInTimeRecoverySpecification'];
  const props = { history: { recoveryPeriodInDays: 7 } };
  expect(of(table('History', props))).toEqual({ PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 });
  expect(of(table('Jobs', props))).toEqual({ PointInTimeRecoveryEnabled: true });
});

describe('what happens to a table when its stack is deleted', () => {
  it.each([
    [RemovalPolicy.RETAIN, 'Retain', true],
    [RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, 'RetainExceptOnCreate', true],
    [RemovalPolicy.DESTROY, 'Delete', false],
  ] as const)('follows from %s, and so does its protection from deletion', (removalPolicy, deletion, protectedFromDeletion) => {
    for (const made of tables({ removalPolicy })) {
      expect(made.DeletionPolicy).toBe(deletion);
      expect(replica(made)['DeletionProtectionEnabled']).toBe(protectedFromDeletion);
    }
  });

  it('may differ for one table', () => {
    const props = { history: { removalPolicy: RemovalPolicy.DESTROY } };
    expect(table('History', props)).toMatchObject({ DeletionPolicy: 'Delete' });
    expect(replica(table('History', props))['DeletionProtectionEnabled']).toBe(false);
    expect(table('Jobs', props)).toMatchObject({ DeletionPolicy: 'Retain' });
  });

  it('may be that it stays without protection', () => {
    const made = table('Jobs', { deletionProtection: false });
    expect(made.DeletionPolicy).toBe('Retain');
    expect(replica(made)['DeletionProtectionEnabled']).toBe(false);
  });

  it.each([
    [{ deletionProtection: true, removalPolicy: RemovalPolicy.DESTROY }, 'jobs'],
    [{ deletionProtection: true, control: { removalPolicy: RemovalPolicy.DESTROY } }, 'control'],
  ] as const)('is never that it is protected and deleted with the stack: cdk destroy would stop halfway', (tableProps, name) => {
    expect(() => executorStack({ tableProps })).toThrow(
      `tableProps.deletionProtection: true contradicts removalPolicy DESTROY of table ${name}. Use RETAIN to keep`,
    );
  });

  it('is refused at synth when the policy of the stack deletes tables that are protected, and the fix is named', () => {
    const app = quickApp();
    const stack = new Stack(app, 'Shop');
    new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } } });
    RemovalPolicies.of(stack).destroy();
    expect(() => app.synth()).toThrow(/table Shop\/Jobs\/Tables\/Jobs is to be deleted.*Say removalPolicy: RemovalPolicy\.DESTROY/);
  });

  it('may be decided by the policy of the stack for tables that are not protected', () => {
    const app = quickApp();
    const stack = new Stack(app, 'Shop');
    const workers = { default: { entry: WORKER_ENTRY } };
    new JobExecutor(stack, 'Jobs', { workers, removalPolicy: RemovalPolicy.DESTROY });
    RemovalPolicies.of(stack).retain();
    RemovalPolicies.of(stack).destroy();
    expect(() => app.synth()).not.toThrow();
    expect(Object.values(resources(Template.fromStack(stack), 'AWS::DynamoDB::GlobalTable'))).toHaveLength(6);
  });
});

it("every option is one that CloudFormation's own schemas accept", () => {
  const app = validatedApp();
  const stack = new Stack(app, 'Shop');
  const tableProps: TablesProps = {
    warmThroughput: WARM,
    maxReadRequestUnits: 1_000,
    maxWriteRequestUnits: 1_000,
    recoveryPeriodInDays: 1,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  };
  new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, tableProps });
  expect(() => app.synth()).not.toThrow();
});

describe('an option of tables that is refused', () => {
  it.each<readonly [string, unknown, string]>([
    ['options that are none', 5, 'tableProps: 5 is no object with options of a table'],
    ['a list', [], 'tableProps: an array is no object with options of a table'],
    ['options of a table that are none', { jobs: null }, 'tableProps.jobs: null is no object with options of a table'],
    ['a table that there is not', { Jobs: {} }, 'tableProps.Jobs: is no option of a table. Did you mean jobs?'],
    ['an option that there is not', { jobs: { billing: 'x' } }, 'tableProps.jobs.billing: is no option of a table'],
    ['a table within a table', { jobs: { timers: {} } }, 'tableProps.jobs.timers: is no option of a table'],
    [
      'replicas',
      { replicas: [{ region: 'us-east-1' }] },
      'tableProps.replicas: the tables have no replicas: two Regions would run the same job',
    ],
    ['replicas of one', { history: { replicas: [] } }, 'tableProps.history.replicas: the tables have no replicas'],
    ['throughput that is a number', { warmThroughput: 8_000 }, 'tableProps.warmThroughput: 8000 is no throughput'],
    ['throughput of nothing', { warmThroughput: {} }, 'tableProps.warmThroughput: an object is no throughput'],
    ['throughput of another kind', { warmThroughput: { read: 1 } }, 'tableProps.warmThroughput.read: is no throughput'],
    [
      'less throughput than a new table has',
      { jobs: { warmThroughput: { writeUnitsPerSecond: 3_999 } } },
      'tableProps.jobs.warmThroughput.writeUnitsPerSecond: 3999 is not a whole number of 4000 or more. A new table takes as much.',
    ],
    ['the same of reads', { warmThroughput: { readUnitsPerSecond: 11_999 } }, '11999 is not a whole number of 12000 or more'],
    ['no units', { maxReadRequestUnits: 0 }, 'tableProps.maxReadRequestUnits: 0 is not a whole number of 1 or more.'],
    ['units as a text', { maxWriteRequestUnits: '5' }, 'tableProps.maxWriteRequestUnits: "5" is not a whole number'],
    ['no day of recovery', { recoveryPeriodInDays: 0 }, 'tableProps.recoveryPeriodInDays: 0 is not a whole number from 1 to 35.'],
    ['too many days of recovery', { recoveryPeriodInDays: 36 }, '36 is not a whole number from 1 to 35'],
    ['half a day of recovery', { recoveryPeriodInDays: 1.5 }, '1.5 is not a whole number from 1 to 35'],
    ['protection that is a text', { deletionProtection: 'yes' }, 'tableProps.deletionProtection: "yes" is neither true nor false'],
    ['a policy that is none', { removalPolicy: 'keep' }, 'tableProps.removalPolicy: "keep" is not one of retain'],
    [
      'snapshots',
      { jobs: { removalPolicy: RemovalPolicy.SNAPSHOT } },
      'tableProps.jobs.removalPolicy: snapshot: DynamoDB takes no snapshot',
    ],
  ])('%s', (_, tableProps, message) => {
    expect(() => executorStack({ tableProps: tableProps as TablesProps })).toThrow(message);
  });

  it.each<readonly [unknown, string]>([
    ['retain it', 'removalPolicy: "retain it" is not one of retain'],
    [RemovalPolicy.SNAPSHOT, 'removalPolicy: snapshot: DynamoDB takes no snapshot when a table is deleted. Use RETAIN'],
  ])('removal policy %s of the deployment', (removalPolicy, message) => {
    expect(() => executorStack({ removalPolicy: removalPolicy as RemovalPolicy })).toThrow(message);
  });
});
