import { Duration, NestedStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { expect, it } from 'vitest';
import { operatorOutput, type OperatorOutput } from '../../cli/deployments/operator-output.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { decodeEnvironment, ENVIRONMENT } from '../../shared/config/environment.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import { executorStack, quickApp, statementsOf, WORKER_ENTRY } from './synth.ts';

/** A value as CloudFormation resolves it; names that it would make are those of the resources. */
function deployed(value: unknown): string {
  if (typeof value === 'string') return value;
  const [[intrinsic, argument] = []] = Object.entries(value as Record<string, unknown>);
  if (intrinsic === 'Fn::Join') return (argument as [string, unknown[]])[1].map(deployed).join((argument as [string, unknown[]])[0]);
  return intrinsic === 'Fn::GetAtt' ? (argument as string[]).join('.') : String(argument);
}

/** What the CLI finds among the outputs of a stack. */
function found(props: Partial<JobExecutorProps> = {}): OperatorOutput {
  const outputs = Object.entries(Template.fromStack(executorStack(props).stack).findOutputs('*'));
  return operatorOutput('Shop', undefined, new Map(outputs.map(([key, output]) => [key, deployed((output as { Value: unknown }).Value)])));
}

it('the stack puts out what an operator needs to reach its tables and queues', () => {
  const { environment } = found({
    workers: {
      default: { entry: WORKER_ENTRY, groups: true },
      mail: { entry: WORKER_ENTRY, lanes: { urgent: { from: 5 }, slow: { to: 4 } } },
    },
    settings: { crashLimit: 7 },
    history: 'full',
    events: { log: true },
    deploymentName: 'shop',
  });
  const deployment = decodeEnvironment(environment);
  expect(deployment).toMatchObject({ name: 'shop', history: 'full', events: { log: true }, settings: { crashLimit: 7 } });
  expect(Object.keys(deployment.tables).toSorted()).toEqual(TABLE_NAMES.toSorted());
  expect(deployment.tables.deadLetters).toContain('DeadLetters');
  expect(deployment.workers.get('default')).toMatchObject({ fifo: expect.any(String), fifoDeadLetterQueue: expect.any(String) });
  // An operator is no worker, and looks at the dead-letter queues of all of them.
  expect(environment[ENVIRONMENT.worker]).toBeUndefined();
  for (const queues of deployment.workers.values()) expect(queues.deadLetterQueue).toEqual(expect.any(String));
  expect(deployment.workers.get('mail')).toMatchObject({ from: { urgent: 5 }, lanes: { urgent: expect.any(String) } });
});

it('the stack puts out the timeout of a worker that has its own, by which its queues are judged', () => {
  const workers = { default: { entry: WORKER_ENTRY }, short: { entry: WORKER_ENTRY, settings: { executorTimeout: Duration.minutes(1) } } };
  const deployment = decodeEnvironment(found({ workers }).environment);
  expect([...deployment.workers].map(([name, { timeoutMs }]) => [name, timeoutMs])).toEqual([
    ['default', undefined],
    ['short', 60_000],
  ]);
});

it('the stack puts out what switches it off and on', () => {
  const { activation } = found({ settings: { acquirers: 2 } });
  expect(activation?.schedules).toHaveLength(3);
  expect(activation?.eventSourceMappings).toHaveLength(1);
});

it('an operator puts no events on the bus: his permissions do not say so', () => {
  const bus = { eventBusArn: 'arn:aws:events:eu-central-1:123456789012:event-bus/jobs' };
  const { environment } = found({ events: { bus, log: true } });
  expect(decodeEnvironment(environment).events).toEqual({ log: true });
});

it('a nested stack puts it out in the stack around it too, which is the one that operators know and may look at', () => {
  const outer = new Stack(quickApp(), 'Shop');
  const middle = new NestedStack(outer, 'Middle');
  const inner = new NestedStack(middle, 'Inner');
  const jobs = new JobExecutor(inner, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } } });
  jobs.grantRead(new Role(outer, 'Support', { assumedBy: new AccountRootPrincipal() }));
  const keys = (stack: Stack): readonly string[] =>
    Object.keys(Template.fromStack(stack).findOutputs('*')).filter((key) => key.includes('Operator'));
  const [below = ''] = keys(inner);
  const [between = ''] = keys(middle);
  const [key = ''] = keys(outer);
  const { Value: value } = Template.fromStack(outer).findOutputs(key)[key] as { Value: { 'Fn::GetAtt': [string, string] } };
  expect(value['Fn::GetAtt'][1]).toBe(`Outputs.${between}`);
  expect(Template.fromStack(middle).findOutputs(between)[between]).toMatchObject({
    Value: { 'Fn::GetAtt': [expect.any(String), `Outputs.${below}`] },
  });
  const environment = { [ENVIRONMENT.tables]: '{}' };
  expect(operatorOutput('Shop', undefined, new Map([[key, JSON.stringify({ environment })]]))).toMatchObject({ environment });
  const looks = statementsOf(Template.fromStack(outer), 'Support').filter(({ Action }) => Action === 'cloudformation:DescribeStacks');
  expect(looks.map(({ Resource }) => Resource)).toEqual([{ Ref: 'AWS::StackId' }]);
});
