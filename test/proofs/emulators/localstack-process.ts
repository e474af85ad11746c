import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findDynamoDBLocal } from '../../../local/emulators/dynamodb-local.ts';
import { endWithThisProcess } from '../../../local/end-with-this-process.ts';
import { freePort } from '../../../local/free-port.ts';
import { systemEnvironment } from '../../../shared/adapters/system.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { pythonWith } from '../deployed/python-environment.ts';
import { listensBeyondLoopback, withDescendants } from './listening.ts';
import { createLocalStackFolder } from './localstack-folder.ts';
import { LOCALSTACK_SERVICES, type RunningLocalStack, whenReady } from './running-localstack.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '.emulators', 'localstack');
const READY_MS = 60_000;
const STOP_MS = 5_000;
const START_TRIES = 3;
const LAST_LINES = 20;

/**
 * Installs LocalStack where it is not yet and starts it without Docker, with nothing in it. It ends with this process, however
 * that ends. The error names what is missing on this machine, or contains its output.
 */
export async function startLocalStackProcess(clock: Clock): Promise<RunningLocalStack> {
  const dynamo = findDynamoDBLocal();
  const requirements = join(import.meta.dirname, 'localstack-requirements.txt');
  // Its sources use type parameters of Python 3.12, although its metadata allows older versions.
  const python = pythonWith({ name: 'LocalStack', requirements, leastMinor: 12, folder: FOLDER });
  const pythonVersion = spawnSync(python, ['-c', 'import platform; print(platform.python_version())'], { encoding: 'utf8' }).stdout.trim();
  const how = `as a process, Python ${pythonVersion}, Java ${dynamo.java}, DynamoDB Local ${dynamo.version}`;
  for (let tries = 1; ; tries += 1) {
    const { endpoint, pid, ended, lastWords, stop } = await launch(python, createLocalStackFolder(FOLDER, dynamo), clock);
    const version = await whenReady(endpoint, { clock, withinMs: READY_MS, ended });
    const strangers = pid === undefined || version === undefined ? [] : (listensBeyondLoopback(pid) ?? []);
    if (version !== undefined && strangers.length === 0) return { endpoint, version, how, lastWords, stop };
    await stop();
    if (strangers.length > 0)
      throw new Error(`LocalStack is stopped again, because it listens beyond this machine: ${strangers.join(', ')}`);
    if (tries === START_TRIES) throw new Error(`LocalStack did not start, tried ${tries} times; it said last:\n${lastWords()}`);
  }
}

interface Attempt {
  readonly endpoint: string;
  readonly pid: number | undefined;
  readonly ended: () => boolean;
  readonly lastWords: () => string;
  readonly stop: () => Promise<void>;
}

async function launch(python: string, root: string, clock: Clock): Promise<Attempt> {
  const port = await freePort();
  const log = join(FOLDER, 'localstack.log');
  const output = openSync(log, 'w');
  const child = spawn(python, ['-m', 'localstack.runtime.main'], {
    env: environment(root, port),
    cwd: root,
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  let failure = '';
  child.once('error', (error) => (failure = error.message));
  const watchdog = child.pid === undefined ? undefined : endWithThisProcess(child.pid);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    pid: child.pid,
    ended: () => failure !== '' || child.exitCode !== null || child.signalCode !== null,
    lastWords: () => `${failure}${readFileSync(log, 'utf8').trim().split('\n').slice(-LAST_LINES).join('\n')}\nAll of it: ${log}`,
    stop: async () => {
      await end(child, clock);
      watchdog?.kill('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function environment(root: string, port: number): NodeJS.ProcessEnv {
  return {
    PATH: systemEnvironment()['PATH'],
    LANG: 'C.UTF-8',
    HOME: root,
    FILESYSTEM_ROOT: root,
    // Otherwise it takes a container for one of its own image.
    OVERRIDE_IN_DOCKER: '0',
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    // Its default server takes the port of this address and listens on every interface.
    GATEWAY_SERVER: 'hypercorn',
    // No name server of its own.
    DNS_ADDRESS: '0',
    SERVICES: LOCALSTACK_SERVICES,
    EAGER_SERVICE_LOADING: '1',
    DYNAMODB_IN_MEMORY: '1',
    SKIP_SSL_CERT_DOWNLOAD: '1',
    DISABLE_EVENTS: '1',
    LS_LOG: 'warning',
  };
}

/** With its child processes, which are not in its process group. */
async function end(child: ChildProcess, clock: Clock): Promise<void> {
  if (child.pid === undefined) return;
  const family = process.platform === 'linux' ? withDescendants(child.pid) : [child.pid];
  const ended =
    child.exitCode !== null || child.signalCode !== null ? undefined : new Promise<void>((resolve) => child.once('exit', () => resolve()));
  signal(child.pid, 'SIGTERM');
  const enough = new AbortController();
  await Promise.race([ended, clock.wait(STOP_MS, enough.signal)]);
  enough.abort();
  for (const pid of family) signal(pid, 'SIGKILL');
  await ended;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
