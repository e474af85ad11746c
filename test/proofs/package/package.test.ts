import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFirstJob } from '../../../scripts/follow-readme.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { freshQueues, freshTables } from '../../support/emulators.ts';
import { bundleOf } from './bundle-of.ts';
import { commandLineTests } from './command-line-tests.ts';
import { ENTRIES, SOURCES } from './entries.ts';
import { localAws } from './local-aws.ts';
import { producerTests } from './producer-tests.ts';
import { filesBelow, type InstalledPackage, installPackage, nodeOf, type PackedPackage, packPackage, PEERS } from './installed-package.ts';
import { attwSays, publintSays } from './linters.ts';

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

const STRICT = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: ['node'] };

const folder = mkdtempSync(join(tmpdir(), 'nightcrew-packed-'));
let packed: PackedPackage;
let installed: InstalledPackage;
beforeAll(() => {
  packed = packPackage(folder);
  installed = installPackage(packed, PEERS);
});
afterAll(() => {
  installed?.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed package', () => {
  test('holds what is built, its documents and nothing else', () => {
    const others = packed.files.filter(
      (path) =>
        !/^(dist\/(cli|shared|operate|testing|infra|lambda|functions)\/|docs\/|examples\/|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$|LICENSE$|package\.json$)/.test(
          path,
        ),
    );
    expect(others).toEqual([]);
    expect(packed.files.filter((path) => /^dist\/.*((?<!\.d)\.ts|\.js\.map)$/.test(path))).toEqual([]);
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'dist/shared/index.js',
        'dist/shared/index.d.ts',
        'dist/lambda/acquirer/index.mjs',
        'dist/lambda/sweeper/index.mjs',
        'dist/lambda/api/index.mjs',
        'dist/lambda/cleaner/index.mjs',
        'dist/lambda/acquirer-with-bus/index.mjs',
        'dist/lambda/sweeper-with-bus/index.mjs',
        // Stands in for the SDK's chain of credentials in bundles that are made from the package.
        'dist/shared/lambda/lambda-credentials.js',
        ...readdirSync(new URL('../../../console/assets', import.meta.url)).map((name) => `dist/cli/assets/${name}`),
        'LICENSE',
        'README.md',
      ]),
    );
  });

  test('is in order for publint, and its types for "Are the types wrong?"', async () => {
    expect(await publintSays(packed.tarball)).toEqual([]);
    expect(await attwSays(packed.tarball)).toEqual([]);
  });

  test('links only to what it holds', () => {
    const home = join(installed.folder, 'node_modules/nightcrew');
    const pages = packed.files.filter((path) => path.endsWith('.md'));
    const links = pages.flatMap((page) =>
      [...readFileSync(join(home, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, target = '']) => ({ page, target })),
    );
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ page, target }) => !existsSync(join(home, dirname(page), target)))).toEqual([]);
  });

  test('installs nothing that only developing it needs', () => {
    const manifest = JSON.parse(readFileSync(join(installed.folder, 'node_modules/nightcrew/package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    expect(manifest['optionalDependencies']).toBeUndefined();
    expect(
      Object.keys(manifest['dependencies'] ?? {}).filter((name) => /^node-|dynoxide|fauxqs|vitest|typescript|aws-cdk/.test(name)),
    ).toEqual([]);
  });

  test('names no path of the machine that built it', () => {
    const root = new URL('../../..', import.meta.url).pathname;
    const telling = filesBelow(join(installed.folder, 'node_modules/nightcrew')).filter((file) =>
      readFileSync(file, 'utf8').includes(root),
    );
    expect(telling).toEqual([]);
  });

  test.each(ENTRIES)('exports from %s what its source exports', async (entry) => {
    const { stdout } = await installed.run(process.execPath, [
      '--input-type=module',
      '-e',
      `console.log(JSON.stringify(Object.keys(await import('${entry}'))))`,
    ]);
    expect((JSON.parse(stdout) as string[]).toSorted()).toEqual(Object.keys(await SOURCES[entry]()).toSorted());
  });

  test('exports nothing but its entries', async () => {
    const deep = `await import('nightcrew/dist/shared/job/decide.js').then(() => process.exit(1), (error) => console.log(error.code))`;
    const { stdout } = await installed.run(process.execPath, ['--input-type=module', '-e', deep]);
    expect(stdout.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('says in a Lambda without a connection which call was forgotten', async () => {
    const unconnected = `import { createJobClient } from 'nightcrew'; await createJobClient().get('x').catch((error) => console.log(error.message))`;
    const { stdout } = await installed.run(process.execPath, ['--input-type=module', '-e', unconnected]);
    expect(stdout).toMatch(/^NIGHTCREW_TABLES is not set\..*executor\.connect\(fn\)/);
  });

  test('enqueues and runs a job from plain JavaScript', async () => {
    const { names } = await freshTables();
    const { workers } = await freshQueues({ default: { lanes: ['default'] } });
    const { stderr } = await installed.run(process.execPath, ['run-a-job.mjs'], {
      ...encodeEnvironment({ tables: names, workers: Object.fromEntries(workers), worker: 'default' }),
      ...(await localAws()),
    });
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toEqual({
      greeted: ['Ada'],
      failures: [],
      state: 'finished',
      dead: { state: 'dead', reason: 'non-retryable' },
      refused: 'payload',
    });
  });

  test('synthesizes the construct from plain JavaScript, with acquirer and sweeper as they were built', async () => {
    const { stdout } = await installed.run(process.execPath, ['synth.mjs', join(installed.folder, 'cdk.out')]);
    const resources = JSON.parse(stdout) as Record<string, number>;
    expect(resources).toMatchObject({
      'AWS::DynamoDB::GlobalTable': 6,
      'AWS::Lambda::EventSourceMapping': 1,
      'AWS::Scheduler::Schedule': 2,
    });
    const bundles = filesBelow(join(installed.folder, 'cdk.out')).filter((file) => file.endsWith('index.mjs'));
    expect(bundles).toHaveLength(2);
  });
});

describe('a project without optional packages', () => {
  const AWS_PEERS = PEERS.filter((name) => name.startsWith('@aws-sdk/'));
  const USES_AWS: readonly string[] = ['nightcrew', 'nightcrew/worker', 'nightcrew/admin'];
  const TOLD =
    'This needs @aws-sdk/client-lambda and @aws-sdk/client-scheduler, which Nightcrew does not install. Run: npm install @aws-sdk/client-lambda @aws-sdk/client-scheduler';
  const WITHOUT = {
    entries: ['function', 'function'],
    sink: 'This needs @aws-sdk/client-eventbridge, which Nightcrew does not install. Run: npm install @aws-sdk/client-eventbridge',
    status: TOLD,
    activate: TOLD,
  };
  const status = { schedules: { tick: 'ENABLED' }, eventSourceMappings: { m: 'Enabled' } };
  let bare: InstalledPackage;
  // The entry `nightcrew/infra` is for users of the CDK; everything else does without it.
  beforeAll(() => void (bare = installPackage(packed, ['aws-cdk-lib', 'constructs'])));
  afterAll(() => bare?.remove());

  describe.each([22, 24])('on Node %i', (major) => {
    const node = nodeOf(major);
    const run = async (...script: readonly string[]): Promise<unknown> => JSON.parse((await bare.run(node ?? '', script)).stdout);

    test.skipIf(node === undefined)('imports and requires every entry', async () => {
      const exported = await Promise.all(ENTRIES.map(async (entry) => Object.keys(await SOURCES[entry]()).length));
      expect(await run('imported.mjs', ...ENTRIES)).toEqual(exported);
      expect(await run('required.cjs', ...ENTRIES)).toEqual(exported);
    });

    test.skipIf(node === undefined)('tests its handlers with node:test, in ES modules and in CommonJS', async () => {
      const { stdout } = await bare.run(node ?? '', ['--test', '--test-reporter=tap', 'kit.test.mjs', 'kit.test.cjs']);
      expect(stdout).toMatch(/^# pass 2$/m);
    });

    test.skipIf(node === undefined)('is told what to install by what needs a package', async () => {
      expect(await run('without-peers.mjs')).toEqual(WITHOUT);
    });

    test.skipIf(node === undefined).each(['cjs', 'esm'] as const)('is told so by what esbuild made of it, as %s', async (format) => {
      await bundleOf(bare.folder, "import './without-peers.mjs'", format, `without.${format}`);
      expect(await run(`without.${format === 'esm' ? 'mjs' : format}`)).toEqual(WITHOUT);
    });
  });

  test('docs/guides/testing.md shows its test for node:test word by word', () => {
    const page = readFileSync(join(bare.folder, 'node_modules/nightcrew/docs/guides/testing.md'), 'utf8');
    expect(page).toContain(readFileSync(join(bare.folder, 'kit.test.mjs'), 'utf8'));
  });

  test.each(ENTRIES)('bundles %s by plain esbuild, with all that is installed inside', async (entry) => {
    // The CDK is large: bundling it once is enough.
    for (const format of entry === 'nightcrew/infra' ? (['cjs'] as const) : (['cjs', 'esm'] as const)) {
      const { outside, inside } = await bundleOf(bare.folder, `export * from '${entry}'`, format);
      expect(outside.filter((name) => !(PEERS as readonly string[]).includes(name))).toEqual([]);
      if (USES_AWS.includes(entry)) expect(inside).toEqual(expect.arrayContaining(['@aws-sdk/client-dynamodb', '@aws-sdk/client-sqs']));
    }
  });

  test.concurrent.each([
    // Without the CDK once: its declarations take most of the time.
    ['5.4', 'typescript-5-4', ['typed.ts', 'common-dynamic.cts']],
    ['5.9', 'typescript-5-9', ['entries.ts', 'common.cts']],
    ['7', 'typescript', ['typed.ts', 'entries.ts', 'common.cts', 'common-dynamic.cts']],
  ])('type-checks with TypeScript %s, declarations included, as ES module and as CommonJS', async (version, compiler, files) => {
    const compilerOptions = {
      ...STRICT,
      target: 'es2022',
      lib: ['es2022'],
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      listFiles: true,
    };
    const config = `tsconfig.${compiler}.json`;
    writeFileSync(join(bare.folder, config), JSON.stringify({ compilerOptions, files }));
    expect((await bare.run(process.execPath, [`node_modules/${compiler}/bin/tsc`, '--version'])).stdout).toContain(`Version ${version}.`);
    const { stdout } = await bare.tryRun(process.execPath, [`node_modules/${compiler}/bin/tsc`, '-p', config]);
    expect(stdout).toContain('nightcrew/dist/testing/index.d.ts');
    // The declarations of the CDK do not pass: errors are sought in ours and in the user's files.
    expect(stdout.split('\n').filter((line) => /^(\w|-)+\.c?ts\(|nightcrew\/dist.*error TS/.test(line))).toEqual([]);
  });

  test('is told by the construct what to install before it can bundle an entry', async () => {
    const synth = async (events: string): Promise<string> =>
      (await bare.tryRun(process.execPath, ['synth-entry.mjs', join(bare.folder, 'cdk.out'), events])).stderr;
    expect(await synth('')).toContain('MissingPackageError: This needs esbuild,');
    bare.add(['esbuild']);
    expect(await synth('')).not.toContain('Error');
    expect(await synth('bus')).toContain('MissingPackageError: This needs @aws-sdk/client-eventbridge,');
  });

  // The last one: it installs what the others do without.
  test('bundles the packages that it has installed', async () => {
    bare.add(AWS_PEERS.filter((name) => name !== '@aws-sdk/client-cloudformation'));
    for (const format of ['cjs', 'esm'] as const) {
      const { outside, inside } = await bundleOf(bare.folder, "import './without-peers.mjs'", format, `with.${format}`);
      expect(outside).toEqual([]);
      expect(inside).toEqual(
        expect.arrayContaining(['@aws-sdk/client-eventbridge', '@aws-sdk/client-lambda', '@aws-sdk/client-scheduler']),
      );
      const { stdout } = await bare.run(process.execPath, [`with.${format === 'esm' ? 'mjs' : format}`]);
      expect(JSON.parse(stdout)).toEqual({ entries: ['function', 'function'], sink: 0, status, activate: status });
    }
  });
});

describe('the command line', () => {
  commandLineTests(() => installed);
});

describe('a function that only enqueues', () => {
  producerTests(() => installed);
});

describe("the README's job of your own", () => {
  const { commands, files } = readFirstJob(README);

  test('has at most twenty lines', () => {
    const lines = [...files.values()].flatMap((text) => text.trim().split('\n'));
    expect(lines.length).toBeLessThanOrEqual(20);
    expect([...files.keys()]).toEqual(['jobs.ts', 'worker.ts', 'order.ts', 'app.ts']);
  });

  test('is deployed by the commands that stand there', async () => {
    for (const [name, text] of files) writeFileSync(join(installed.folder, name), text);
    const synth = commands.filter((command) => command.startsWith('npx cdk synth'));
    expect(synth).toHaveLength(1);
    // On the oldest Node that the section allows.
    const PATH = [dirname(nodeOf(22) ?? process.execPath), process.env['PATH']].join(delimiter);
    await installed.run('sh', ['-c', `${synth[0]} --output first-job.out --no-notices`], { PATH });
    const template = readFileSync(join(installed.folder, 'first-job.out', 'FirstJob.template.json'), 'utf8');
    expect(template).toContain('NIGHTCREW_TABLES');
  });

  test('type-checks', async () => {
    const compilerOptions = { ...STRICT, allowImportingTsExtensions: true, skipLibCheck: true };
    writeFileSync(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [...files.keys()] }));
    const { stdout } = await installed.tryRun(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.']);
    expect(stdout).toBe('');
  });
});
