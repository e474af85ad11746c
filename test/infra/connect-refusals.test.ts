import { type App, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import type { JobExecutorAttributes } from '../../infra/attributes.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import { executorStack, quickApp, WORKER_ENTRY } from './synth.ts';

const workers = { default: { entry: WORKER_ENTRY } };
const OWNER = '111111111111';

function someFunction(stack: Stack): LambdaFunction {
  return new LambdaFunction(stack, 'Orders', { runtime: Runtime.NODEJS_24_X, handler: 'i.handler', code: Code.fromInline('x') });
}

function home(app: App = quickApp()) {
  const stack = new Stack(app, 'Home', { env: { account: OWNER, region: 'eu-west-1' } });
  return { app, stack, jobs: new JobExecutor(stack, 'Jobs', { workers }) };
}

describe('connecting is refused, with the fix,', () => {
  it.each<readonly [unknown, string]>([
    [undefined, 'connect: undefined cannot be granted anything. Give a function, or a role.'],
    [null, 'connect: null cannot be granted anything'],
    ['arn:aws:iam::1:role/x', 'connect: "arn:aws:iam::1:role/x" cannot be granted anything'],
    [{}, 'connect: an object cannot be granted anything'],
  ])('for what is neither function nor role: %s', (grantee, message) => {
    expect(() => executorStack().jobs.connect(grantee as never)).toThrow(message);
    expect(() => executorStack().jobs.connectOperator(grantee as never)).toThrow(message.replace('connect', 'connectOperator'));
  });

  it.each<readonly [unknown, string]>([
    [{ cancell: true }, 'connect.cancell: is no option of it. Did you mean cancel?'],
    [{ cancel: 'no' }, 'connect.cancel: "no" is neither true nor false.'],
    [null, 'connect: null is no object with options. Use { name, cancel }.'],
    ['billing', 'connect: "billing" is no object with options'],
    [{ name: 5 }, 'name: 5 is not the name of a connection'],
  ])('with options that are none: %j', (options, message) => {
    const { stack, jobs } = executorStack();
    expect(() => jobs.connect(someFunction(stack), options as never)).toThrow(message);
  });

  it('with cancel for an operator, who may cancel anyway', () => {
    const { stack, jobs } = executorStack();
    const options = { cancel: true } as object;
    expect(() => jobs.connectOperator(someFunction(stack), options)).toThrow(
      'connectOperator.cancel: is no option of it. Known are: name.',
    );
  });

  it('to a second deployment of the same name, whose tables the function would never see', () => {
    const { stack, jobs } = executorStack({ deploymentName: 'shop' });
    const other = new JobExecutor(stack, 'Other', { workers, deploymentName: 'shop' });
    const fn = someFunction(stack);
    jobs.connect(fn);
    expect(() => other.connect(fn)).toThrow(
      /Shop\/Orders belongs to another deployment that is called "shop" too\. Give each a deploymentName/,
    );
    expect(() => other.connect(fn, { name: 'other' })).not.toThrow();
  });

  it('for a function in another Region or account, aliases and imported ones included', () => {
    const { app, jobs } = home();
    const abroad = someFunction(new Stack(app, 'Abroad', { env: { account: OWNER, region: 'us-east-1' } }));
    const message =
      'connect: Abroad/Orders is in us-east-1 and the deployment in eu-west-1: a function reaches tables of its own Region only.';
    expect(() => jobs.connect(abroad)).toThrow(message);
    expect(() => jobs.connect(abroad.addAlias('live'))).toThrow(message);
    const foreign = new Stack(app, 'Foreign', { env: { account: '222222222222', region: 'eu-west-1' } });
    const imported = LambdaFunction.fromFunctionArn(foreign, 'Imported', 'arn:aws:lambda:eu-west-1:222222222222:function:orders');
    for (const fn of [someFunction(foreign), imported]) {
      expect(() => jobs.connectOperator(fn)).toThrow(
        /connectOperator: .* is in account 222222222222 and the deployment in 111111111111.*fromJobExecutorAttributes/,
      );
    }
  });

  it('never for a function of a stack whose place is not known', () => {
    const { app, jobs } = home();
    expect(() => jobs.connect(someFunction(new Stack(app, 'Somewhere')))).not.toThrow();
  });
});

describe('attributes of a deployment are refused', () => {
  const arns = Object.fromEntries(TABLE_NAMES.map((name) => [name, `arn:aws:dynamodb:eu-west-1:${OWNER}:table/${name}`]));
  const queue = `arn:aws:sqs:eu-west-1:${OWNER}:lane`;
  const sound = { deploymentName: 'shop', tableArns: arns, workers: { default: { laneQueueArns: { default: queue } } } };
  const imported = (attributes: unknown) => () => {
    const stack = new Stack(quickApp(), 'Other', { env: { account: OWNER, region: 'eu-west-1' } });
    return JobExecutor.fromJobExecutorAttributes(stack, 'Jobs', attributes as JobExecutorAttributes);
  };
  const lanes = (laneQueueArns: unknown, more: object = {}) => ({ ...sound, workers: { default: { laneQueueArns, ...more } } });

  it('never when they are sound', () => {
    const keyArn = `arn:aws:kms:eu-west-1:${OWNER}:key/1234`;
    expect(imported({ ...sound, encryptionKeyArn: keyArn, tableKeyArns: [keyArn] })).not.toThrow();
  });

  it.each<readonly [string, unknown, string]>([
    ['nothing', undefined, 'attributes: undefined is no object. Give what jobs.attributes of the deployment returns.'],
    ['no name', { ...sound, deploymentName: undefined }, 'deploymentName: undefined is no name.'],
    ['no tables', { ...sound, tableArns: undefined }, 'tableArns: undefined is no object'],
    ['no workers', { ...sound, workers: undefined }, 'workers: undefined is no object'],
    ['workers without one', { ...sound, workers: {} }, 'workers: there is none.'],
    ['a worker that is none', { ...sound, workers: { default: null } }, 'workers.default: null is no object'],
    [
      'a name for an ARN',
      { ...sound, tableArns: { ...arns, jobs: 'shop-jobs' } },
      'tableArns.jobs: "shop-jobs" is no ARN of a table. It is like arn:',
    ],
    ['an index', { ...sound, tableArns: { ...arns, jobs: `${arns['jobs']}/index/byType` } }, 'is no ARN of a table'],
    ['a seventh table', { ...sound, tableArns: { ...arns, orders: arns['jobs'] } }, 'tableArns.orders: is no table of a deployment'],
    ['no lanes', lanes(undefined), 'workers.default.laneQueueArns: undefined is no object'],
    ['lanes without one', lanes({}), 'workers.default.laneQueueArns: there is none.'],
    [
      'a URL for an ARN',
      lanes({ default: 'https://sqs/1/q' }),
      'workers.default.laneQueueArns.default: "https://sqs/1/q" is no ARN of a queue.',
    ],
    ['a table for a queue', lanes({ default: arns['jobs'] }), 'is no ARN of a queue'],
    [
      'a FIFO queue that is none',
      lanes({ default: queue }, { fifoQueueArn: 'q.fifo' }),
      'workers.default.fifoQueueArn: "q.fifo" is no ARN',
    ],
    [
      'a queue of another Region',
      lanes({ default: queue.replace('eu-west-1', 'us-east-1') }),
      'us-east-1, and this stack is in eu-west-1. Functions reach tables and queues of their own Region only.',
    ],
    ['an alias for a key', { ...sound, encryptionKeyArn: 'alias/shop' }, 'encryptionKeyArn: "alias/shop" is no ARN of a key.'],
    ['one key for a list', { ...sound, tableKeyArns: queue }, 'is no list. Use [arn].'],
    ['a list of what are no keys', { ...sound, tableKeyArns: [queue] }, 'tableKeyArns[0]: '],
  ])('with %s', (_, attributes, message) => {
    expect(imported(attributes)).toThrow(message);
  });
});
