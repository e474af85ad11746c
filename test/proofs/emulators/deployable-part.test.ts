import { expect, test } from 'vitest';
import { Template as Synthesized } from 'aws-cdk-lib/assertions';
import { RemovalPolicy } from 'aws-cdk-lib';
import { OrderServiceStack } from '../../../infra/order-service-stack.ts';
import { quickApp } from '../../infra/synth.ts';
import { deployablePart, type Template } from './deployable-part.ts';

const template = (ticks?: 'rules'): Template => {
  const props = { removalPolicy: RemovalPolicy.RETAIN, ...(ticks === undefined ? {} : { ticks }) };
  return Synthesized.fromStack(new OrderServiceStack(quickApp(), 'Shop', props)).toJSON() as Template;
};
/** As in a cloud assembly, whose functions name their bundles. */
const example = withBundles(template());
const part = deployablePart(example);
const outputs = part.template['Outputs'] as Readonly<Record<string, { readonly Value: unknown }>>;
const idsOf = (of: Template, ...types: readonly string[]): readonly string[] =>
  Object.entries(of.Resources).flatMap(([id, { Type }]) => (types.includes(Type) ? [id] : []));
/** CDK adds a hash of eight digits to an id. */
const idOf = (name: string): string => Object.keys(example.Resources).find((id) => id.replace(/[0-9A-F]{8}$/, '') === name) ?? `no ${name}`;

function withBundles({ Resources, ...sections }: Template): Template {
  const bundled = Object.entries(Resources).map(([id, resource]) =>
    resource.Type === 'AWS::Lambda::Function' ? [id, { ...resource, Metadata: { 'aws:asset:path': `asset.${id}` } }] : [id, resource],
  );
  return { ...sections, Resources: Object.fromEntries(bundled) as Template['Resources'] };
}

test('tables, queues and their policies are deployed word by word, and nothing else but what ticks', () => {
  const kept = idsOf(example, 'AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue', 'AWS::SQS::QueuePolicy');
  expect(kept.length).toBe(7 + 6 + 6);
  for (const id of kept) expect(part.template.Resources[id]).toEqual(example.Resources[id]);
  const added = Object.keys(part.template.Resources).filter((id) => !kept.includes(id));
  expect(added.map((id) => String(part.template.Resources[id]?.Type)).toSorted()).toEqual([
    'AWS::Events::Rule',
    'AWS::Events::Rule',
    'AWS::SQS::Queue',
    'AWS::SQS::Queue',
  ]);
});

test('each schedule becomes a rule of the same rate that sends the same input, wrapped, to a queue of its own', () => {
  const schedules = idsOf(example, 'AWS::Scheduler::Schedule');
  expect(schedules).toHaveLength(2);
  for (const id of schedules) {
    const { Target, ScheduleExpression, State } = example.Resources[id]?.Properties ?? {};
    const { Input } = Target as { readonly Input: string };
    const rule = part.template.Resources[`${id}Rule`]?.Properties;
    const Targets = [{ Id: 'Ticks', Arn: { 'Fn::GetAtt': [`${id}Queue`, 'Arn'] }, Input: `{"input":${Input}}` }];
    expect(rule).toEqual({ ScheduleExpression, State, Targets });
    expect([ScheduleExpression, State]).toEqual(['rate(1 minute)', 'ENABLED']);
  }
  expect(part.ticks.map(({ functionId, queueUrl }) => [functionId, outputs[queueUrl]?.Value])).toEqual([
    [idOf('JobsAcquirerFunction'), { Ref: `${idOf('JobsTicksAcquirer0')}Queue` }],
    [idOf('JobsSweeperFunction'), { Ref: `${idOf('JobsTicksSweeper')}Queue` }],
  ]);
});

test('a function that is not deployed keeps its bundle, its limits and each of its variables, resolved by outputs', () => {
  const executor = part.functions.find(({ id }) => id.startsWith('JobsWorkerdefaultExecutor'));
  const { Environment, Timeout, MemorySize } = example.Resources[executor?.id ?? '']?.Properties ?? {};
  const { Variables } = Environment as { readonly Variables: Record<string, unknown> };
  expect(executor).toMatchObject({ timeoutMs: Number(Timeout) * 1000, memoryMb: MemorySize });
  expect(executor?.timeoutMs).toBe(60_000);
  expect(executor?.asset).toBe(`asset.${executor?.id}`);
  const resolved = Object.entries(executor?.environment ?? {}).map(([name, output]) => [name, outputs[output]?.Value]);
  expect(Object.fromEntries(resolved)).toEqual(Variables);
  expect(Object.keys(Variables)).toContain('NIGHTCREW_TABLES');
  expect(part.functions).toHaveLength(4);
});

test('event sources that are not deployed keep their queue, batch size and concurrency', () => {
  const functionId = idOf('JobsWorkerdefaultExecutorFunction');
  expect(part.sources.map((source) => ({ ...source, queueUrl: outputs[source.queueUrl]?.Value }))).toEqual([
    { functionId, queueUrl: { Ref: idOf('JobsWorkerdefaultQueuesLanedefault') }, batchSize: 10, maxConcurrency: 50 },
    { functionId, queueUrl: { Ref: idOf('JobsWorkerdefaultQueuesFifo') }, batchSize: 10, maxConcurrency: 50 },
  ]);
});

test('what is left out is counted by type, so that a run can say what it did not deploy', () => {
  const all = Object.values(example.Resources).length;
  const keptOrRetargeted = idsOf(example, 'AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue', 'AWS::SQS::QueuePolicy').length;
  expect(Object.values(part.leftOut).reduce((sum, count) => sum + count, 0)).toBe(all - keptOrRetargeted);
  expect(part.leftOut).toMatchObject({ 'AWS::Lambda::Function': 4, 'AWS::Scheduler::Schedule': 2 });
});

test('parameters stay, but for the one that an emulator cannot look up', () => {
  const BootstrapVersion = { Type: 'AWS::SSM::Parameter::Value<String>' };
  const { template: taken } = deployablePart({ ...example, Parameters: { ...example.Parameters, BootstrapVersion } });
  expect(Object.keys(taken.Parameters ?? {})).toEqual(['WebhookUrl', 'WebhookSecret']);
});

test('a function without a bundle is refused: there would be nothing to run', () => {
  expect(() => deployablePart(template())).toThrow('names no bundle');
});

test('a template without schedules is refused: nothing would tick', () => {
  expect(() => deployablePart(withBundles(template('rules')))).toThrow('no schedule');
});

test('a table or queue that refers to what is left out is refused, by both names', () => {
  const [queue = ''] = idsOf(example, 'AWS::SQS::Queue');
  const Resources = { ...example.Resources, [queue]: { Type: 'AWS::SQS::Queue', Properties: { KmsMasterKeyId: { Ref: 'Key' } } } };
  expect(() => deployablePart({ ...example, Resources })).toThrow('Ref refers to Key, which is not deployed');
  const dependent = { ...example.Resources, [queue]: { Type: 'AWS::SQS::Queue', DependsOn: ['Role'] } };
  expect(() => deployablePart({ ...example, Resources: dependent })).toThrow(`${queue} refers to Role, which is not deployed`);
});
