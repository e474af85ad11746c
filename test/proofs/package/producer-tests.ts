import { expect, test } from 'vitest';
import { bundleOf } from './bundle-of.ts';
import type { InstalledPackage } from './installed-package.ts';
import { installedSize, totalOf } from './installed-size.ts';

/** What a function costs that only enqueues, installed and bundled: beside the clients of the SDK alone. */
export function producerTests(project: () => InstalledPackage): void {
  const CLIENTS = ['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs'];
  const MB = 2 ** 20;

  test('installs neither the command line nor its console: beside the clients of the SDK, little but the package', () => {
    const byHand = installedSize(project().folder, CLIENTS);
    const ours = installedSize(project().folder, ['nightcrew']);
    const added = new Map([...ours].filter(([name]) => !byHand.has(name)));
    expect([...added.keys()].map((name) => name.slice(0, name.lastIndexOf('@'))).toSorted()).toEqual([
      '@aws-lambda-powertools/commons',
      '@aws-lambda-powertools/logger',
      '@aws-lambda-powertools/metrics',
      '@middy/core',
      '@middy/util',
      '@standard-schema/spec',
      'nightcrew',
    ]);
    // The bundles of acquirer, sweeper, cleaner and external API with their source maps are half of the package.
    expect(totalOf(added) / MB).toBeLessThan(19);
  });

  test('has a bundle that is at most half as large again as PutItem and SendMessage by hand', async () => {
    const [byHand = 0, ours = 0] = await Promise.all(
      ['put-and-send.mjs', 'enqueue.mjs'].map(async (name) => (await bundleOf(project().folder, `export * from './${name}'`, 'esm')).bytes),
    );
    expect(ours / byHand).toBeLessThan(1.55);
  });
}
