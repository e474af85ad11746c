import { Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { executorStack, executorTemplate, resources, statementsOf } from './synth.ts';

const properties = (type: string, props: Partial<JobExecutorProps> = {}) =>
  Object.values(resources(executorTemplate(props), type)).map(({ Properties }) => Properties);
const schedules = (props?: Partial<JobExecutorProps>) => properties('AWS::Scheduler::Schedule', props);

describe('ticks from EventBridge Scheduler', () => {
  it('start the acquirer and the sweeper every minute', () => {
    expect(schedules().map(({ ScheduleExpression, State }) => [ScheduleExpression, State])).toEqual([
      ['rate(1 minute)', 'ENABLED'],
      ['rate(1 minute)', 'ENABLED'],
    ]);
  });

  it('are tried again for a minute where they cannot be delivered, and a run that failed is not repeated', () => {
    for (const { Target } of schedules()) {
      expect(Target).toMatchObject({ RetryPolicy: { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 60 } });
    }
    for (const invocation of properties('AWS::Lambda::EventInvokeConfig')) {
      expect(invocation).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
    }
  });

  it('that cannot be delivered go where those go that failed', () => {
    for (const { Target } of schedules()) {
      expect(Target).toMatchObject({ DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['JobsFailedTicksDC4A5551', 'Arn'] } } });
    }
  });

  it('tell each of several acquirers which share of the shards is its', () => {
    const inputs = schedules({ settings: { acquirers: 3 } }).map(
      ({ Target }) => JSON.parse((Target as { Input: string }).Input) as unknown,
    );
    expect(inputs).toEqual([{ acquirer: 0, of: 3 }, { acquirer: 1, of: 3 }, { acquirer: 2, of: 3 }, {}]);
  });

  it('come as often as the settings say', () => {
    const expressions = schedules({ settings: { acquirerInterval: Duration.minutes(2), sweeperInterval: Duration.minutes(5) } }).map(
      ({ ScheduleExpression }) => ScheduleExpression,
    );
    expect(expressions).toEqual(['rate(2 minutes)', 'rate(5 minutes)']);
  });

  it('are made after their group and the policy of their role, and leave neither behind', () => {
    const template = executorTemplate();
    const [group = ''] = Object.keys(resources(template, 'AWS::Scheduler::ScheduleGroup'));
    const [policy = ''] = Object.keys(resources(template, 'AWS::IAM::Policy')).filter((id) => id.includes('Ticks'));
    const made = Object.values(template.findResources('AWS::Scheduler::Schedule')) as { DependsOn: string[]; Properties: object }[];
    expect(made).toHaveLength(2);
    for (const { DependsOn, Properties } of made) {
      expect(DependsOn).toContain(policy);
      expect(Properties).toMatchObject({ GroupName: { Ref: group } });
    }
    expect(resources(template, 'AWS::Scheduler::ScheduleGroup')[group]?.DeletionPolicy).toBeUndefined();
  });

  it('use a role that only our own schedules may take, for our two functions', () => {
    const template = executorTemplate();
    const [group] = Object.keys(resources(template, 'AWS::Scheduler::ScheduleGroup'));
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' }, 'aws:SourceArn': { 'Fn::GetAtt': [group, 'Arn'] } },
            },
          },
        ],
      },
    });
    const [statement, sending, ...others] = statementsOf(template, 'JobsTicks');
    expect(others).toEqual([]);
    expect(sending).toMatchObject({ Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': ['JobsFailedTicksDC4A5551', 'Arn'] } });
    expect(statement?.Action).toBe('lambda:InvokeFunction');
    expect(statement?.Resource).toHaveLength(2);
  });
});

describe('ticks from EventBridge rules', () => {
  const rules = (props: Partial<JobExecutorProps> = {}) => properties('AWS::Events::Rule', { ticks: 'rules', ...props });

  it('say the same as schedules', () => {
    const made = rules({ settings: { acquirers: 2, sweeperInterval: Duration.minutes(5) } });
    expect(made.map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(['rate(1 minute)', 'rate(1 minute)', 'rate(5 minutes)']);
    const targets = made.flatMap(({ Targets }) => Targets as readonly { Input: string; RetryPolicy: unknown }[]);
    expect(targets.map(({ Input }) => JSON.parse(Input) as unknown)).toEqual([{ acquirer: 0, of: 2 }, { acquirer: 1, of: 2 }, {}]);
    for (const { RetryPolicy } of targets) expect(RetryPolicy).toEqual({ MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 60 });
    expect(schedules({ ticks: 'rules' })).toEqual([]);
  });

  it('may invoke a function only by the rule itself', () => {
    for (const permission of properties('AWS::Lambda::Permission', { ticks: 'rules' })) {
      expect(permission).toMatchObject({
        Principal: 'events.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [expect.stringContaining('Ticks'), 'Arn'] as unknown },
      });
    }
  });

  it('may send what they cannot deliver, however many there are: the policy of a queue takes 20 statements', () => {
    const template = executorTemplate({ ticks: 'rules', settings: { acquirers: 32 } });
    for (const { Properties } of Object.values(resources(template, 'AWS::Events::Rule'))) {
      expect(Properties['Targets']).toMatchObject([{ DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['JobsFailedTicksDC4A5551', 'Arn'] } } }]);
    }
    const statements = Object.entries(resources(template, 'AWS::SQS::QueuePolicy'))
      .filter(([id]) => id.includes('FailedTicks'))
      .flatMap(([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: readonly { Principal: unknown }[] }).Statement);
    expect(statements.filter(({ Principal }) => JSON.stringify(Principal).includes('events.amazonaws.com'))).toMatchObject([
      {
        Action: 'sqs:SendMessage',
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': ['JobsFailedTicksDC4A5551', 'Arn'] },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });

  it('are off while the deployment is not active', () => {
    expect(rules({ active: false }).map(({ State }) => State)).toEqual(['DISABLED', 'DISABLED']);
  });
});

describe('a deployment that is not active', () => {
  it('has its ticks and event sources disabled', () => {
    expect(schedules({ active: false }).map(({ State }) => State)).toEqual(['DISABLED', 'DISABLED']);
    expect(properties('AWS::Lambda::EventSourceMapping', { active: false }).map(({ Enabled }) => Enabled)).toEqual([false]);
  });

  it('does not page because its heartbeats are missing', () => {
    const heartbeats = properties('AWS::CloudWatch::Alarm', { active: false }).filter(({ AlarmDescription }) =>
      String(AlarmDescription).includes('heartbeat'),
    );
    expect(heartbeats.map(({ ActionsEnabled }) => ActionsEnabled)).toEqual([false, false]);
  });

  it('tells what to switch on again', () => {
    const { stack, jobs } = executorStack({ active: false });
    const targets = stack.resolve(jobs.activationTargets) as { schedules: unknown[]; eventSourceMappings: unknown[] };
    expect(targets.schedules).toHaveLength(2);
    expect(targets.eventSourceMappings).toHaveLength(1);
    Template.fromStack(stack).hasOutput('*', { Description: Match.stringLikeRegexp('createActivation') });
  });
});
