import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFirstJob } from '../../scripts/follow-readme.ts';
import { encodeEnvironment } from '../../shared/config/environment.ts';
import { freshQueues, freshTables, testDynamo, testSqs } from '../support/emulators.ts';
import { filesBelow, type InstalledPackage, installPackage } from './installed-package.ts';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const ENTRIES = ['nightcrew', 'nightcrew/worker', 'nightcrew/infra', 'nightcrew/admin', 'nightcrew/testing'] as const;
const SOURCES = {
  nightcrew: async () => import('../../shared/index.ts'),
  'nightcrew/worker': async () => import('../../shared/worker/index.ts'),
  'nightcrew/infra': async () => import('../../infra/index.ts'),
  'nightcrew/admin': async () => import('../../shared/admin/index.ts'),
  'nightcrew/testing': async () => import('../../shared/testing/index.ts'),
};

const STRICT = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: ['node'] };

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
});
afterAll(() => installed?.remove());

describe('the packed package', () => {
  test('holds what is built, its documents and nothing else', () => {
    const others = installed.packed.filter(
      (path) =>
        !/^(dist\/(cli|console|shared|infra|lambda|functions)\/|docs\/[\w-]+\.md$|(README|CHANGELOG)\.md$|LICENSE$|package\.json$)/.test(
          path,
        ),
    );
    expect(others).toEqual([]);
    expect(installed.packed.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
    expect(installed.packed).toEqual(
      expect.arrayContaining([
        'dist/shared/index.js',
        'dist/shared/index.d.ts',
        'dist/lambda/acquirer/index.mjs',
        'dist/lambda/sweeper/index.mjs',
        'dist/lambda/acquirer-with-bus/index.mjs',
        'dist/lambda/sweeper-with-bus/index.mjs',
        // Stands in for the SDK's chain of credentials in bundles that are made from the package.
        'dist/shared/config/lambda-credentials.js',
        ...readdirSync(new URL('../../console/assets', import.meta.url)).map((name) => `dist/console/assets/${name}`),
        'LICENSE',
        'README.md',
      ]),
    );
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
    const root = new URL('../..', import.meta.url).pathname;
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

  test('brings the command line along', async () => {
    const folder = join(installed.folder, 'node_modules/nightcrew');
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly bin: Record<string, string> };
    const program = join(folder, bin['nightcrew'] ?? '');
    expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout } = await installed.run(process.execPath, [program, 'external', '--help']);
    expect(stdout).toContain('nightcrew external fetch');
  });

  test('exports nothing but its entries', async () => {
    const deep = `await import('nightcrew/dist/shared/core/decide.js').then(() => process.exit(1), (error) => console.log(error.code))`;
    const { stdout } = await installed.run(process.execPath, ['--input-type=module', '-e', deep]);
    expect(stdout.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('says in a Lambda that nobody connected which call was forgotten', async () => {
    const unconnected = `import { createJobClient } from 'nightcrew'; await createJobClient().get('x').catch((error) => console.log(error.message))`;
    const { stdout } = await installed.run(process.execPath, ['--input-type=module', '-e', unconnected]);
    expect(stdout).toMatch(/^NIGHTCREW_TABLES is not set\..*executor\.connect\(fn\)/);
  });

  test('enqueues and runs a job from plain JavaScript', async () => {
    const { names } = await freshTables();
    const { workers } = await freshQueues({ default: { lanes: ['default'] } });
    const [dynamo, sqs] = await Promise.all([testDynamo(), testSqs()]);
    const { stderr } = await installed.run(process.execPath, ['run-a-job.mjs'], {
      ...encodeEnvironment({ tables: names, workers: Object.fromEntries(workers), worker: 'default' }),
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
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

  // The declarations of the CDK itself do not pass without skipLibCheck, so errors are sought in ours and in the user's file.
  test('type-checks in strict TypeScript, declarations included', async () => {
    const compilerOptions = { ...STRICT, exactOptionalPropertyTypes: true, skipLibCheck: false };
    writeFileSync(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['typed.ts'] }));
    const { stdout } = await installed.tryRun(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.', '--listFilesOnly']);
    expect(stdout).toContain('nightcrew/dist/shared/testing/index.d.ts');
    const checked = await installed.tryRun(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.']);
    expect(checked.stdout.split('\n').filter((line) => /^(typed\.ts|node_modules\/nightcrew\/)/.test(line))).toEqual([]);
  });
});

describe("the README's first job", () => {
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
    await installed.run('sh', ['-c', `${synth[0]} --output first-job.out --no-notices`]);
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
