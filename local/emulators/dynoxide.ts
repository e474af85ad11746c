import { createRequire } from 'node:module';
import { systemEnvironment } from '../../shared/adapters/system.ts';
import { type RunningDynamo, startEmulator } from './emulator-process.ts';
import { givenEndpoint } from './given-endpoint.ts';

const START_TIMEOUT_MS = 10_000;

/**
 * Starts Dynoxide in memory on a free loopback port, or uses the endpoint that the environment gives. It ends with this
 * process, however that ends. Throws where Dynoxide has no binary for the platform.
 */
export async function startDynoxide(env: Readonly<Record<string, string | undefined>> = systemEnvironment()): Promise<RunningDynamo> {
  const endpoint = givenEndpoint('DYNAMODB', env);
  if (endpoint !== undefined) return { endpoint, stop: async () => {} };
  const platform = `${process.platform}-${process.arch}`;
  const command = dynoxideBinary(platform);
  if (command === undefined) {
    throw new Error(`@dynoxide/${platform} is not installed: it has no binary for ${platform}, or optional dependencies were left out.`);
  }
  const args = (port: number): readonly string[] => ['--host', '127.0.0.1', '--port', String(port)];
  return startEmulator({ name: 'Dynoxide', command, args, timeoutMs: START_TIMEOUT_MS });
}

/** Path of the binary for a platform such as `linux-x64`; undefined where there is none. */
export function dynoxideBinary(platform: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${platform}/dynoxide`);
  } catch {
    return undefined;
  }
}
