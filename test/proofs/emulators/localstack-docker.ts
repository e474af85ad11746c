import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../../local/free-port.ts';
import { systemEntropy, systemEnvironment } from '../../../shared/adapters/system.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { type RunningLocalStack, whenReady } from './running-localstack.ts';

const COMPOSE_FILE = join(import.meta.dirname, '..', '..', '..', 'docker-compose.yml');
const ENGINE_TIMEOUT_MS = 10_000;
/** The image has to be pulled the first time. */
const UP_TIMEOUT_MS = 300_000;
const READY_MS = 60_000;

/** Version of the Docker engine that answers here; undefined where there is none, or no compose with it. */
export function dockerEngine(): string | undefined {
  const engine = docker(['version', '--format', '{{.Server.Version}}'], ENGINE_TIMEOUT_MS);
  return engine.status === 0 && docker(['compose', 'version'], ENGINE_TIMEOUT_MS).status === 0 ? engine.stdout.trim() : undefined;
}

/** Starts what docker-compose.yml describes, as a project of its own on a free loopback port. The error contains Docker's output. */
export async function startLocalStackInDocker(clock: Clock, engine: string): Promise<RunningLocalStack> {
  const port = await freePort();
  const compose = ['compose', '--file', COMPOSE_FILE, '--project-name', `nightcrew-${Buffer.from(systemEntropy.bytes(4)).toString('hex')}`];
  const stop = async (): Promise<void> => void docker([...compose, 'down', '--volumes', '--timeout', '5'], UP_TIMEOUT_MS);
  const lastWords = (): string => docker([...compose, 'logs', '--no-color', '--tail', '20'], ENGINE_TIMEOUT_MS).stdout;
  const up = docker([...compose, 'up', '--detach', '--wait'], UP_TIMEOUT_MS, { LOCALSTACK_PORT: String(port) });
  const endpoint = `http://127.0.0.1:${port}`;
  const version = up.status === 0 ? await whenReady(endpoint, { clock, withinMs: READY_MS, ended: () => false }) : undefined;
  if (version !== undefined) return { endpoint, version, how: `in Docker ${engine}`, lastWords, stop };
  const said = `${up.stderr}\n${lastWords()}`;
  await stop();
  throw new Error(`LocalStack did not start in Docker ${engine}; it said last:\n${said}`);
}

function docker(args: readonly string[], timeout: number, env: Readonly<Record<string, string>> = {}) {
  return spawnSync('docker', args, { encoding: 'utf8', timeout, env: { ...systemEnvironment(), ...env } });
}
