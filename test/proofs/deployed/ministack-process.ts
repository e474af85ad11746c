import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { endWithThisProcess } from '../../../local/end-with-this-process.ts';
import { freePort } from '../../../local/free-port.ts';
import { createRunFolder } from '../../../local/run-folder.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { pythonWith } from './python-environment.ts';

/** A MiniStack on a loopback port. */
export interface Ministack {
  readonly endpoint: string;
  readonly version: string;
  readonly python: string;
  /** Its output and that of its functions. */
  readonly log: string;
  stop(): Promise<void>;
}

const FOLDER = join(import.meta.dirname, '..', '..', '..', '.emulators', 'ministack');
const READY_MS = 30_000;
const START_TRIES = 3;

/** Installs MiniStack if needed and starts it empty. The error names what is missing, or contains its output. */
export async function startMinistack(clock: Clock): Promise<Ministack> {
  const python = pythonWith({
    name: 'MiniStack',
    requirements: join(import.meta.dirname, 'ministack-requirements.txt'),
    leastMinor: 10,
    folder: FOLDER,
  });
  const versions = spawnSync(
    python,
    ['-c', 'import platform, importlib.metadata as m; print(m.version("ministack"), platform.python_version())'],
    { encoding: 'utf8' },
  );
  const [version = 'unknown', pythonVersion = 'unknown'] = versions.stdout.trim().split(' ');
  const log = join(FOLDER, 'ministack.log');
  for (let tries = 1; ; tries += 1) {
    const started = await launch(python, log, clock);
    if (started !== undefined) return { ...started, version, python: pythonVersion, log };
    if (tries === START_TRIES) throw new Error(`MiniStack ${version} did not start; it said last:\n${lastLines(log)}\nAll of it: ${log}`);
  }
}

/** Undefined if it ended or did not answer: another process may have taken the port. */
async function launch(python: string, log: string, clock: Clock): Promise<Pick<Ministack, 'endpoint' | 'stop'> | undefined> {
  const port = await freePort();
  // Code and files of the functions; it does not remove them when it is killed.
  const temporary = createRunFolder(clock.now(), join(FOLDER, 'runs'));
  // Its worker script is CommonJS, which the nearest package.json decides: without this one, ours.
  writeFileSync(join(temporary, 'package.json'), '{ "type": "commonjs" }\n');
  const output = openSync(log, 'w');
  const child = spawn(python, ['-m', 'ministack'], {
    env: {
      ...process.env,
      // Functions run as `node` of the PATH.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      TMPDIR: temporary,
      PERSIST_STATE: '0',
    },
    cwd: FOLDER,
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const stop = async (): Promise<void> => {
    await kill(child);
    rmSync(temporary, { recursive: true, force: true });
  };
  const watchdog = child.pid === undefined ? undefined : endWithThisProcess(child.pid);
  const endpoint = `http://127.0.0.1:${port}`;
  if (await isReady(endpoint, child, clock)) {
    return { endpoint, stop: () => stop().finally(() => watchdog?.kill('SIGKILL')) };
  }
  await stop();
  watchdog?.kill('SIGKILL');
  return undefined;
}

async function isReady(endpoint: string, child: ChildProcess, clock: Clock): Promise<boolean> {
  const ended = new AbortController();
  for (const event of ['error', 'exit']) child.once(event, () => ended.abort());
  for (const deadline = clock.now() + READY_MS; clock.now() < deadline && !ended.signal.aborted; await clock.wait(200)) {
    const ready = await fetch(`${endpoint}/_ministack/health`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (ready && !ended.signal.aborted) return true;
  }
  return false;
}

/** With the functions it has started, which are of its group. It takes too long over a polite request. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const ended = child.exitCode !== null || child.signalCode !== null ? undefined : new Promise((resolve) => child.once('exit', resolve));
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  await ended;
}

/** The end of a log, for a message. */
export function lastLines(log: string, count = 15): string {
  return readFileSync(log, 'utf8').trim().split('\n').slice(-count).join('\n');
}
