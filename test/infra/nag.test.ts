import { App, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, NagPack, ServerlessChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { ACKNOWLEDGEMENTS } from '../../infra/acknowledgements.ts';
import { OrderServiceStack } from '../../infra/order-service-stack.ts';
import { AllOptionsStack } from './all-options-stack.ts';
import { executorStack, WORKER_ENTRY, quickApp } from './synth.ts';

function findings(app: App): readonly string[] {
  const packs: readonly NagPack[] = [new AwsSolutionsChecks(app), new ServerlessChecks(app)];
  return packs.flatMap((pack) =>
    pack
      .validateScope(app)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
      ),
  );
}

describe('cdk-nag', () => {
  it('finds nothing in the deployed example that is not acknowledged', () => {
    const app = quickApp();
    new OrderServiceStack(app, 'Example', { removalPolicy: RemovalPolicy.DESTROY });
    expect(findings(app)).toEqual([]);
  });

  it('finds nothing with ticks from rules, warm sandboxes, roll-outs by CodeDeploy, an external API, large payloads and several workers', () => {
    const { stack } = executorStack({
      ticks: 'rules',
      settings: { provisionedConcurrency: 1 },
      deployment: {},
      externalApi: true,
      largePayloads: true,
      workers: { default: { entry: WORKER_ENTRY, groups: true }, reports: { entry: WORKER_ENTRY } },
    });
    expect(findings(stack.node.root as App)).toEqual([]);
  });

  it('finds nothing in a stack with every option, in a VPC and with a key', () => {
    const app = quickApp();
    new AllOptionsStack(app, 'AllOptions');
    expect(findings(app)).toEqual([]);
  });

  it('does not keep an app from being synthesized that runs it', () => {
    const { stack } = executorStack();
    const app = stack.node.root as App;
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    expect(() => app.synth()).not.toThrow();
  });

  it('is told of at most eight findings that stand, each with a reason', () => {
    const all = Object.values(ACKNOWLEDGEMENTS);
    expect(all.length).toBeLessThanOrEqual(8);
    for (const { reason } of all) expect(reason.length).toBeGreaterThan(40);
  });

  it.each(Object.values(ACKNOWLEDGEMENTS))('would find $id without its acknowledgement', ({ id }) => {
    const { stack } = executorStack({ deployment: {}, externalApi: true, largePayloads: true });
    for (const construct of stack.node.findAll()) {
      // The metadata is where an acknowledgement is kept; without it every finding comes back.
      Object.defineProperty(construct.node, 'metadata', { value: [] });
    }
    expect(findings(stack.node.root as App).map((finding) => finding.split(' ')[0])).toContain(id);
  });
});
