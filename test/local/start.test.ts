import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WAIT } from '../support/patience.ts';

const START = resolve(import.meta.dirname, '../../local/start.ts');
let folder: string;
let running: Started | undefined;

interface Started {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  readonly output: () => string;
  readonly errors: () => string;
}

/** Starts the region in a folder of its own, with an AWS profile that does not exist: whatever reads it fails. */
function start(...args: readonly string[]): Started {
  const child = spawn(process.execPath, [START, ...args], { cwd: folder, env: { ...process.env, AWS_PROFILE: 'must-not-be-read' } });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once('close', done));
  running = { process: child, ended, output: () => output, errors: () => errors };
  return running;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-'));
});
afterEach(async () => {
  running?.process.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  await rm(folder, { recursive: true });
});

test('the scenario runs every job to where it should end and says so in one line of JSON', async () => {
  const { ended, output, errors } = start('--once', '--json', '--orders', '20');
  expect([await ended, errors()]).toEqual([0, '']);
  expect(output().trim().split('\n')).toHaveLength(1);
  // Of ten orders seven are paid (webhook, reminder cancelled); two of these have a hopeless receiver, one order has no amount.
  expect(JSON.parse(output())).toMatchObject({
    enqueued: 55,
    completed: 35,
    deadLettered: 6,
    cancelled: 14,
    lost: 0,
    doubleCompleted: 0,
    earlyTimers: 0,
    groupOverlaps: 0,
    unsettled: 0,
    missingEffects: 0,
    secondReportRefused: true,
    ok: true,
  });
  const [run = ''] = await readdir(join(folder, '.nightcrew'));
  const files = await readdir(join(folder, '.nightcrew', run, 'invoices'));
  expect(files.filter((file) => file.endsWith('.html'))).toHaveLength(18);
  expect(files.filter((file) => file.endsWith('.csv'))).toHaveLength(1);
  expect(existsSync(join(folder, '.nightcrew', run, 'functions.log'))).toBe(true);
});

test('Ctrl-C stops the region cleanly: what ran is reported, nothing listens any more, the exit code is 0', async () => {
  const { process: child, ended, output } = start('--rate', '10');
  await vi.waitFor(() => expect(output()).toMatch(/ completed [1-9]/), WAIT);
  const [, endpoint = ''] = /DynamoDB (http:\/\/127\.0\.0\.1:\d+)/.exec(output()) ?? [];
  expect((await fetch(endpoint)).status).toBeGreaterThan(0);
  const [, address = '', token = ''] = /^Console .*: (http:\/\/127\.0\.0\.1:\d+)\/login#([\w-]+)$/m.exec(output()) ?? [];
  const read = await signIn(address, token);
  expect(await read('/')).toContain('ready and running');
  const shown = async (path: string): Promise<void> =>
    vi.waitFor(async () => expect(await read(path)).toMatch(/<td[^]*(invoice\.render|webhook\.deliver)/), WAIT);
  await shown('/attempts');
  await shown('/statistics');
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(output()).toMatch(/Stopping: \d+ jobs? runs?/);
  expect(output()).toMatch(
    /Stopped\. \d+ orders?, \d+ jobs?: [1-9]\d* completed, \d+ cancelled, \d+ dead letters?, \d+ not ended yet\. 0 messages still with an executor\./,
  );
  await expect(fetch(endpoint)).rejects.toThrow('fetch failed');
  await expect(fetch(`${address}/login`)).rejects.toThrow('fetch failed');
});

/** Signs in to the console, to read its pages. */
async function signIn(address: string, token: string): Promise<(path: string) => Promise<string>> {
  const headers = { origin: address, 'content-type': 'application/json' };
  const login = await fetch(`${address}/login`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  return async (path) => (await fetch(address + path, { headers: { cookie } })).text();
}

test('an unknown flag is refused with the usage before anything starts', async () => {
  const { ended, output, errors } = start('--twice');
  expect([await ended, output()]).toEqual([2, '']);
  expect(errors()).toContain("Unknown option '--twice'");
  expect(errors()).toContain('Usage: npm start');
  expect(existsSync(join(folder, '.nightcrew'))).toBe(false);
});

test('the usage is printed on request', async () => {
  const { ended, output } = start('--help');
  expect(await ended).toBe(0);
  for (const flag of ['--once', '--json', '--orders', '--rate', '--seed']) expect(output()).toContain(flag);
});
