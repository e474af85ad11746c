import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { fromRoot } from '../architecture/source-files.ts';

/** Refuses packages that users need not have, as Node does where they are not installed. */
const WITHOUT_PEERS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(specifier, context, next) {
    if (/^(@aws-sdk\\/client-(cloudformation|scheduler|lambda|s3|eventbridge)|aws-cdk-lib|constructs|esbuild)$/.test(specifier)) throw Object.assign(new Error('Cannot find package \\'' + specifier + '\\''), { code: 'ERR_MODULE_NOT_FOUND' });
    return next(specifier, context);
  } });
`)}`;

const ENVIRONMENT = {
  NIGHTCREW_TABLES: JSON.stringify(
    Object.fromEntries(['jobs', 'timers', 'deadLetters', 'suspended', 'control', 'history'].map((name) => [name, name])),
  ),
  NIGHTCREW_WORKERS: '{}',
  AWS_REGION: 'us-east-1',
};

async function nightcrew(args: readonly string[], environment: Readonly<Record<string, string>> = {}, until?: RegExp) {
  const child = spawn(process.execPath, ['--import', WITHOUT_PEERS, fromRoot('cli/nightcrew.ts'), ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let seen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    if (until?.test(seen) === true) child.kill('SIGINT');
  });
  const [err] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out: seen, err };
}

test('the command line starts without the packages that only some commands need', async () => {
  expect(await nightcrew(['--help'])).toMatchObject({ code: 0, err: '', out: expect.stringContaining('dead-letters') });
  expect(await nightcrew(['jobs', 'list', '--zone', 'Nowhere/Land'], ENVIRONMENT)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--zone'),
  });
});

test.each([
  ['@aws-sdk/client-cloudformation', ['jobs', 'count', '--stack', 'shop'], {}],
  [
    '@aws-sdk/client-lambda @aws-sdk/client-scheduler',
    ['activate'],
    { ...ENVIRONMENT, NIGHTCREW_ACTIVATION: '{"schedules":[],"eventSourceMappings":[]}' },
  ],
])('a command that needs %s says so', async (name, args, environment) => {
  expect(await nightcrew(args, environment)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(`npm install ${name}`) });
});

test('the console starts without them, and Ctrl-C ends it', async () => {
  const { code, out, err } = await nightcrew(['console'], ENVIRONMENT, /Ctrl-C/);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
});
