import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../../local/free-port.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import { serverFolder, type ServerProcess, serverUser, startServer } from './server-process.ts';
import { systemBinary } from '../../frame/system-binary.ts';

/** A separate PostgreSQL for one system, so that its cost belongs to that system. */
export interface Postgres extends ServerProcess {
  readonly url: string;
  readonly version: string;
}

const USER = 'bench';
const READY_TRIES = 100;
const READY_EVERY_MS = 50;

/** Starts a fresh cluster as Debian's package would have it: durable (`fsync`, `synchronous_commit`), nothing tuned. */
export async function startPostgres(): Promise<Postgres> {
  const [initdb, postgres, ready] = [systemBinary('initdb'), systemBinary('postgres'), systemBinary('pg_isready')];
  const user = serverUser();
  const folder = serverFolder('postgres', user);
  const data = join(folder, 'data');
  execFileSync(initdb, ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'], { cwd: folder, stdio: 'pipe', ...user });
  const port = await freePort();
  // Shared memory in its folder: a killed server would leave it behind elsewhere.
  const own = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'dynamic_shared_memory_type=mmap'];
  const args = ['-D', data, '-p', String(port), ...own.flatMap((setting) => ['-c', setting])];
  const server = await startServer({ name: 'PostgreSQL', command: postgres, args, folder, port, user, stopSignal: 'SIGINT' });
  const isReady = (): boolean => {
    try {
      execFileSync(ready, ['-q', '-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  // Its port answers a little earlier than it takes connections.
  for (let tries = 0; !isReady() && tries < READY_TRIES; tries += 1) await systemClock.wait(READY_EVERY_MS);
  const version = execFileSync(postgres, ['--version'], { encoding: 'utf8' }).trim().split(' ')[2] ?? '';
  return { ...server, url: `postgres://${USER}@127.0.0.1:${port}/postgres`, version };
}
