import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithThisProcess } from '../../../local/end-with-this-process.ts';
import { systemClock } from '../../../shared/adapters/system.ts';

/** The user that a server runs as; none if this process is not root's. */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

/** A server that was started here, with a folder of its own. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  /** Stops it with its signal and removes the folder. */
  stop(): Promise<void>;
}

/** How a server is started on loopback. */
export interface ServerSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly port: number;
  readonly user: ServerUser;
  readonly stopSignal: 'SIGINT' | 'SIGTERM';
}

const READY_MS = 20_000;
const STOP_MS = 10_000;
const LOOK_EVERY_MS = 20;

const running = new Map<ChildProcess, string>();
process.once('exit', () => {
  for (const [child, folder] of running) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Root may not run PostgreSQL: of the users that Debian has for it, the first that there is. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('This runs as root, and there is neither a user postgres nor nobody to run PostgreSQL as.');
}

/** A fresh folder that the user owns. */
export function serverFolder(name: string, user: ServerUser): string {
  const folder = mkdtempSync(join(tmpdir(), `nightcrew-${name}-`));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Starts a server and waits until its port answers. It ends with this process, however that ends; its folder then stays only after a kill. */
export async function startServer({ name, command, args, folder, port, user, stopSignal }: ServerSpec): Promise<ServerProcess> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...user });
  running.set(child, folder);
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) pipe?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const ended = new Promise<void>((resolve) => {
    for (const event of ['exit', 'error'] as const) child.once(event, () => resolve());
  });
  const watchdog = child.pid === undefined ? undefined : endWithThisProcess(child.pid);
  const stop = async (): Promise<void> => {
    child.kill(stopSignal);
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(killer);
    watchdog?.kill('SIGKILL');
    running.delete(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const until = systemClock.now() + READY_MS;
  while (!(await answers(port))) {
    const gone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    if (gone || systemClock.now() > until) {
      await stop();
      throw new Error(`${name} did not start: ${said.trim()}`);
    }
    await systemClock.wait(LOOK_EVERY_MS);
  }
  return { pid: child.pid as number, port, stop };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (yes: boolean) => () => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
