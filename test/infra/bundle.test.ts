import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, RemovalPolicy } from 'aws-cdk-lib';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleEntry, readyFolder } from '../../infra/esbuild-bundle.ts';
import { unusedPackages } from '../../infra/event-references.ts';
import { OrderServiceStack } from '../../infra/order-service-stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'nightcrew-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a bundle exports, as a fresh Node sees it that has no modules to fall back on. */
function exportsOf(bundle: string): string {
  const script = `const m = await import(${JSON.stringify(bundle)}); console.log(Object.entries(m).map(([name, value]) => name + ':' + typeof value).join());`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder,
    env: { AWS_REGION: 'eu-west-1' },
    encoding: 'utf8',
  }).trim();
}

function bundled(name: string, source: string): string {
  const entry = join(folder, `${name}.ts`);
  writeFileSync(entry, source);
  bundleEntry(entry, join(folder, name), true);
  return join(folder, name, 'index.mjs');
}

describe('the bundles of the deployed example', () => {
  const outdir = join(folder, 'cdk.out');
  const app = new App({ outdir, context: { '@aws-cdk/core:validateAgainstDefaultRules': true } });
  new OrderServiceStack(app, 'Shop', { removalPolicy: RemovalPolicy.DESTROY });
  const manifest = JSON.parse(readFileSync(join(app.synth().directory, 'Shop.assets.json'), 'utf8')) as {
    readonly files: Readonly<Record<string, { readonly source: { readonly path: string; readonly packaging: string } }>>;
  };
  const bundles = Object.values(manifest.files)
    .filter(({ source }) => source.packaging === 'zip')
    .map(({ source }) => join(outdir, source.path, 'index.mjs'));

  it('are made without Docker and without a network, one per function', () => {
    expect(bundles).toHaveLength(4);
  });

  it.each([0, 1, 2, 3])('load in a fresh process and export a handler (%i)', (index) => {
    expect(exportsOf(bundles[index] ?? '')).toContain('handler:function');
  });

  it('read cron expressions only in the acquirer and the sweeper, which plan occurrences', () => {
    expect(bundles.filter((bundle) => readFileSync(bundle, 'utf8').includes('This day never occurs'))).toHaveLength(2);
  });

  it('are minified, with source maps beside them that carry no sources', () => {
    for (const bundle of bundles) {
      expect(existsSync(`${bundle}.map`)).toBe(true);
      expect(JSON.parse(readFileSync(`${bundle}.map`, 'utf8'))).not.toHaveProperty('sourcesContent');
      expect(statSync(bundle).size).toBeLessThan(800_000);
    }
  });
});

describe('the bundle of a handler', () => {
  it('keeps the names of its error classes, which retry policies are chosen by', () => {
    const bundle = bundled(
      'errors',
      'class CardDeclined extends Error {}\nexport const handler = () => new CardDeclined().constructor.name;',
    );
    expect(
      execFileSync(
        process.execPath,
        ['--input-type=module', '--eval', `console.log((await import(${JSON.stringify(bundle)})).handler())`],
        { encoding: 'utf8' },
      ).trim(),
    ).toBe('CardDeclined');
  });

  it('lets CommonJS packages call require', () => {
    writeFileSync(join(folder, 'legacy.cjs'), "module.exports = () => require('node:os').EOL;");
    expect(exportsOf(bundled('legacy', "import eol from './legacy.cjs';\nexport const handler = () => eol();"))).toBe('handler:function');
  });
});

describe('credentials in a bundle', () => {
  const bundle = bundled(
    'credentials',
    `import { SQSClient } from ${JSON.stringify(fileURLToPath(import.meta.resolve('@aws-sdk/client-sqs')).replace('dist-cjs', 'dist-es'))};
     export const handler = () => new SQSClient({}).config.credentials().then(({ accessKeyId }) => accessKeyId, ({ name }) => name);`,
  );
  const found = (variables: Readonly<Record<string, string>>): string => {
    const script = `console.log(await (await import(${JSON.stringify(bundle)})).handler())`;
    const env = { AWS_REGION: 'eu-west-1', ...variables };
    return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder, env, encoding: 'utf8' }).trim();
  };

  it('are those that Lambda gives, for clients of the handler as well', () => {
    expect(found({ AWS_ACCESS_KEY_ID: 'from Lambda', AWS_SECRET_ACCESS_KEY: 'secret' })).toBe('from Lambda');
  });

  it('are an error of the usual name where Lambda gives none', () => {
    expect(found({})).toBe('CredentialsProviderError');
  });

  it('bring in no client of services that only other machines ask', () => {
    expect(readFileSync(bundle, 'utf8')).not.toMatch(/AssumeRole|sso_session|latest\/meta-data\/iam|credential_process/);
  });
});

describe('the ready bundles of the package', () => {
  it.each(['acquirer', 'sweeper', 'cleaner', 'api'])(
    'of the %s load, and have the SDK of the event bus only where there is one',
    (name) => {
      const handler = fileURLToPath(new URL(`../../functions/${name}/handler.ts`, import.meta.url));
      for (const unused of [[], unusedPackages(undefined)]) {
        const outputDir = join(folder, 'lambda', readyFolder(name, unused));
        bundleEntry(handler, outputDir, false, unused);
        expect(exportsOf(join(outputDir, 'index.mjs'))).toBe('handler:function');
        expect(readFileSync(join(outputDir, 'index.mjs'), 'utf8').includes('AWSEvents')).toBe(unused.length === 0);
      }
    },
  );

  it('lie in folders of their own, so that a bus does not change the bundle without one', () => {
    expect([readyFolder('sweeper', []), readyFolder('sweeper', unusedPackages(undefined))]).toEqual(['sweeper-with-bus', 'sweeper']);
  });
});
