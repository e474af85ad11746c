import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LambdaDeploymentConfig } from 'aws-cdk-lib/aws-codedeploy';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { executorStack, executorTemplate, quickApp, type Resource, resources, statementsOf, WORKER_ENTRY } from './synth.ts';

const WORKERS = { default: { entry: WORKER_ENTRY, groups: true }, reports: { entry: WORKER_ENTRY } };
const properties = (template: Template, type: string) => Object.values(resources(template, type)).map(({ Properties }) => Properties);
const dependencies = (one: Resource | undefined): unknown => (one as { readonly DependsOn?: unknown } | undefined)?.DependsOn;

/** What an app with one variable set to `value` would deploy. */
function versionIds(value: string): readonly string[] {
  const props = { workers: { default: { entry: WORKER_ENTRY, environment: { RELEASE: value } } } };
  return Object.keys(resources(executorTemplate(props), 'AWS::Lambda::Version'));
}

describe('a release', () => {
  const template = executorTemplate({ workers: WORKERS });
  const aliases = resources(template, 'AWS::Lambda::Alias');

  it('is a version of each function behind the alias live', () => {
    expect(Object.values(aliases).map(({ Properties }) => Properties['Name'])).toEqual(['live', 'live', 'live', 'live']);
    const versions = Object.keys(resources(template, 'AWS::Lambda::Version'));
    expect(
      Object.values(aliases).map(({ Properties }) => (Properties['FunctionVersion'] as { 'Fn::GetAtt': string[] })['Fn::GetAtt'][0]),
    ).toEqual(expect.arrayContaining(versions));
  });

  it('is what event sources and ticks invoke: nothing invokes $LATEST', () => {
    const sources = properties(template, 'AWS::Lambda::EventSourceMapping').map(({ FunctionName }) => FunctionName);
    const ticks = properties(template, 'AWS::Scheduler::Schedule').map(({ Target }) => (Target as { Arn: unknown }).Arn);
    const targets = [...sources, ...ticks].map((target) => (target as { Ref?: string }).Ref ?? '');
    expect(targets).toHaveLength(5);
    expect(new Set(targets)).toEqual(new Set(Object.keys(aliases)));
  });

  it('is rolled out for the functions of options, too: the external API and the cleaner of payloads', () => {
    const all = executorTemplate({ externalApi: true, largePayloads: true, deployment: {} });
    const numbers = ['AWS::Lambda::Function', 'AWS::Lambda::Version', 'AWS::Lambda::Alias', 'AWS::CodeDeploy::DeploymentGroup'].map(
      (type) => Object.keys(resources(all, type)).length,
    );
    expect(numbers).toEqual([5, 5, 5, 5]);
    const ticks = properties(all, 'AWS::Scheduler::Schedule').map(({ Target }) => (Target as { Arn: { Ref?: string } }).Arn.Ref ?? '');
    const urls = properties(all, 'AWS::Lambda::Url').map(({ Qualifier }) => Qualifier);
    expect(Object.keys(resources(all, 'AWS::Lambda::Alias'))).toEqual(expect.arrayContaining(ticks));
    expect([ticks.length, urls]).toEqual([3, ['live']]);
  });

  it('may be invoked by the ticks, and no other version may', () => {
    const [statement] = statementsOf(template, 'JobsTicks');
    const names = ((statement?.Resource ?? []) as readonly { Ref?: string }[]).map(({ Ref = '' }) => aliases[Ref]?.Properties['Name']);
    expect(names).toEqual(['live', 'live']);
  });

  it('is what ticks from rules invoke, and what they may invoke', () => {
    const rules = executorTemplate({ ticks: 'rules' });
    const targets = properties(rules, 'AWS::Events::Rule').flatMap(({ Targets }) => Targets as readonly { Arn: { Ref?: string } }[]);
    const permitted = properties(rules, 'AWS::Lambda::Permission').map(({ FunctionName }) => FunctionName);
    expect(targets.map(({ Arn }) => Arn)).toEqual(permitted);
    for (const { Arn } of targets) expect(resources(rules, 'AWS::Lambda::Alias')).toHaveProperty(Arn.Ref ?? '');
  });

  it('has its own terms of asynchronous invocation, which are made after the alias that they name', () => {
    const configs = Object.values(resources(template, 'AWS::Lambda::EventInvokeConfig'));
    expect(configs.map(({ Properties }) => Properties['Qualifier'])).toEqual(['live', 'live']);
    for (const config of configs) expect(Object.keys(aliases)).toEqual(expect.arrayContaining(dependencies(config) as string[]));
  });

  it('is another version when its environment changes, and the same when nothing does', () => {
    const changed = versionIds('2').filter((id) => !versionIds('1').includes(id));
    expect(changed).toEqual([expect.stringMatching(/^JobsWorkerdefaultExecutor/)]);
    expect(versionIds('1')).toEqual(versionIds('1'));
  });

  it('leaves the version before where it is, to be pointed back at', () => {
    for (const version of Object.values(resources(template, 'AWS::Lambda::Version'))) expect(version.DeletionPolicy).toBe('Retain');
  });

  it('changes neither event sources nor schedules, so that it cannot switch on what an operator switched off', () => {
    const switches = (value: string) => {
      const one = executorTemplate({ workers: { default: { entry: WORKER_ENTRY, environment: { RELEASE: value } } } });
      return [resources(one, 'AWS::Lambda::EventSourceMapping'), resources(one, 'AWS::Scheduler::Schedule')];
    };
    expect(switches('2')).toEqual(switches('1'));
  });
});

describe('a release that CodeDeploy rolls out', () => {
  const deployed = (deployment: JobExecutorProps['deployment']) =>
    executorTemplate({ workers: WORKERS, ...(deployment && { deployment }) });
  const groups = (template: Template) => resources(template, 'AWS::CodeDeploy::DeploymentGroup');

  it('shifts a tenth first, and goes back when a deployment fails or an alarm goes off', () => {
    const made = Object.values(groups(deployed({})));
    expect(made).toHaveLength(4);
    for (const { Properties } of made) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
      });
    }
    const policies = Object.values(resources(deployed({}), 'AWS::Lambda::Alias')).map((alias) =>
      Object.keys((alias as unknown as { UpdatePolicy: object }).UpdatePolicy),
    );
    expect(policies.flat()).toEqual(Array(4).fill('CodeDeployLambdaAliasUpdate'));
  });

  it('is judged by the errors of the new version alone, by an alarm that is there before the alias moves', () => {
    const template = deployed({});
    const versions = Object.keys(resources(template, 'AWS::Lambda::Version'));
    const alarms = Object.entries(resources(template, 'AWS::CloudWatch::Alarm')).filter(([, { Properties }]) =>
      String(Properties['AlarmDescription']).endsWith('#release-errors'),
    );
    const watched = alarms.map(([, { Properties }]) => {
      const dimensions = Properties['Dimensions'] as readonly { Name: string; Value: { 'Fn::GetAtt': string[] } }[];
      expect(dimensions.map(({ Name }) => Name)).toEqual(['ExecutedVersion', 'FunctionName', 'Resource']);
      return dimensions[0]?.Value['Fn::GetAtt'][0];
    });
    expect(watched.map(String).toSorted()).toEqual(versions.toSorted());
    const before = Object.values(resources(template, 'AWS::Lambda::Alias')).flatMap((alias) => dependencies(alias) as string[]);
    expect(before.toSorted()).toEqual(alarms.map(([id]) => id).toSorted());
  });

  it('takes a pace, further alarms and hooks, the hooks for executors only', () => {
    const stack = new Stack(quickApp(), 'Shop');
    const hook = new LambdaFunction(stack, 'Hook', { runtime: Runtime.NODEJS_24_X, handler: 'i.h', code: Code.fromInline('0') });
    const plain = new JobExecutor(stack, 'Plain', { workers: { default: { entry: WORKER_ENTRY } } });
    const alarm = plain.metricJobsFailed().createAlarm(stack, 'Failed', { threshold: 1, evaluationPeriods: 1 });
    const config = LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE;
    const jobs = new JobExecutor(stack, 'Jobs', {
      workers: { default: { entry: WORKER_ENTRY } },
      deployment: { config, alarms: [alarm], preHook: hook },
      alarms: false,
    });
    expect([...jobs.deploymentGroups.keys()]).toEqual(['default', 'Acquirer', 'Sweeper']);
    expect(plain.deploymentGroups.size).toBe(0);
    expect(jobs.alarms).toHaveLength(3);
    const template = Template.fromStack(stack);
    for (const { Properties } of Object.values(groups(template))) {
      expect(Properties['DeploymentConfigName']).toBe('CodeDeployDefault.LambdaLinear10PercentEvery1Minute');
      expect((Properties['AlarmConfiguration'] as { Alarms: unknown[] }).Alarms).toHaveLength(2);
    }
    const hooks = Object.values(resources(template, 'AWS::Lambda::Alias')).filter((alias) =>
      JSON.stringify(alias).includes('BeforeAllowTrafficHook'),
    );
    expect(hooks).toHaveLength(1);
  });

  it('does not run outside Lambda', () => {
    const { jobs } = executorStack({ workers: { gpu: { outside: true } }, deployment: {} });
    expect([...jobs.deploymentGroups.keys()]).toEqual(['Acquirer', 'Sweeper']);
  });

  it('adds only what costs nothing, besides its alarms', () => {
    const types = (template: Template): Set<unknown> =>
      new Set(Object.values(template.toJSON()['Resources'] as object).map(({ Type }) => Type));
    const before = types(deployed(undefined));
    expect([...types(deployed({}))].filter((type) => !before.has(type))).toEqual([
      'AWS::CodeDeploy::Application',
      'AWS::CodeDeploy::DeploymentGroup',
    ]);
  });

  it.each([
    ['a word', 'canary' as never, 'deployment: "canary" is no object with options of a deployment. Use {'],
    ['nothing', null as never, 'deployment: null is no object with options of a deployment'],
    ['a list', [] as never, 'deployment: '],
    [
      'an unknown option',
      { pace: 1 } as never,
      'deployment.pace: is no option of a deployment. Known are: config, alarms, preHook, postHook.',
    ],
    ['alarms that are no list', { alarms: {} as never }, 'deployment.alarms: '],
    ['an alarm by its name', { alarms: ['late'] as never }, 'deployment.alarms[0]: "late" is not valid. Use metric.createAlarm(...)'],
    ['a pace by its name', { config: 'Canary' as never }, 'deployment.config: "Canary" is not valid. Use one of LambdaDeploymentConfig.'],
    [
      'a hook by its ARN',
      { preHook: 'arn:aws:lambda' as never },
      'deployment.preHook: "arn:aws:lambda" is not valid. Use new Function(...)',
    ],
    ['no hook', { postHook: null as never }, 'deployment.postHook: null is not valid. Use new Function(...)'],
  ] as const)('is refused for %s', (_, deployment, message) => {
    expect(() => executorStack({ deployment })).toThrow(message);
  });
});
