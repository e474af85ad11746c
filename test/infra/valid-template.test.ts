import { type App, CfnResource, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { OrderServiceStack } from '../../infra/order-service-stack.ts';
import { AllOptionsStack } from './all-options-stack.ts';
import { validatedApp, WORKER_ENTRY } from './synth.ts';

const worker = { entry: WORKER_ENTRY, groups: true };

function synthesized(props: Partial<JobExecutorProps>, withKey = false): App {
  const app = validatedApp();
  const stack = new Stack(app, 'Shop', { env: { region: 'eu-west-1', account: '123456789012' } });
  new JobExecutor(stack, 'Jobs', { workers: { default: worker }, ...props, ...(withKey ? { encryptionKey: new Key(stack, 'Key') } : {}) });
  app.synth();
  return app;
}

describe("CloudFormation's own schemas", () => {
  it.each([RemovalPolicy.RETAIN, RemovalPolicy.DESTROY])('accept the example, removal policy %s', (removalPolicy) => {
    const app = validatedApp();
    new OrderServiceStack(app, 'Shop', { removalPolicy });
    expect(() => app.synth()).not.toThrow();
  });

  it.each([
    ['ticks from rules', { ticks: 'rules' }],
    ['an executor that is switched off', { active: false }],
    ['warm sandboxes', { settings: { provisionedConcurrency: 2 } }],
    ['several workers and acquirers', { workers: { default: worker, reports: { entry: WORKER_ENTRY } }, settings: { acquirers: 4 } }],
    ['no metrics', { metrics: 'off' }],
    ['pollers of its own', { workers: { default: { ...worker, pollers: { minimum: 2, maximum: 10 } } }, reserveTicks: true }],
    ['no limit of executors', { settings: { maxConcurrency: 0 } }],
    ['roll-outs by CodeDeploy', { deployment: {} }],
  ] as const)('accept %s', (_, props) => {
    expect(() => synthesized(props)).not.toThrow();
  });

  it('accept every option at once', () => {
    const app = validatedApp();
    new AllOptionsStack(app, 'AllOptions');
    expect(() => app.synth()).not.toThrow();
  });

  it('accept a key of our own', () => {
    expect(() => synthesized({}, true)).not.toThrow();
  });

  it('would refuse a property that does not exist', () => {
    const app = validatedApp();
    new CfnResource(new Stack(app, 'Shop'), 'Queue', { type: 'AWS::SQS::Queue', properties: { Visibility: 1 } });
    expect(() => app.synth()).toThrow('Additional properties are not allowed');
  });
});
