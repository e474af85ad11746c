import { execFileSync } from 'node:child_process';
import { freePort } from '../../../local/free-port.ts';
import { serverFolder, type ServerProcess, serverUser, startServer } from './server-process.ts';
import { systemBinary } from '../../frame/system-binary.ts';

/** A Redis of its own. */
export interface Redis extends ServerProcess {
  readonly version: string;
}

// As BullMQ's guide requires for production: an append-only file, and no eviction.
const AS_BULLMQ_ASKS = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];

/** Starts a Redis that loses at most one second of writes. */
export async function startRedis(): Promise<Redis> {
  const command = systemBinary('redis-server');
  const user = serverUser();
  const folder = serverFolder('redis', user);
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', ...AS_BULLMQ_ASKS];
  const server = await startServer({ name: 'Redis', command, args, folder, port, user, stopSignal: 'SIGTERM' });
  const version = /v=(\S+)/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' }))?.[1] ?? '';
  return { ...server, version };
}
