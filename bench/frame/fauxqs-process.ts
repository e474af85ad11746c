import { join } from 'node:path';
import { startEmulator } from '../../local/emulators/emulator-process.ts';
import { givenEndpoint } from '../../local/emulators/given-endpoint.ts';
import type { RunningSqs } from '../../local/emulators/fauxqs.ts';

const SERVER = join(import.meta.dirname, 'fauxqs-server.ts');
const START_TIMEOUT_MS = 20_000;

/**
 * fauxqs in a process of its own, so that its cost is not measured; `pid` is absent where the
 * environment gives an endpoint. It ends with this process, however that ends.
 */
export async function startFauxqsProcess(): Promise<RunningSqs & { readonly pid?: number }> {
  const given = givenEndpoint('SQS', process.env);
  if (given !== undefined) return { endpoint: given, stop: async () => {} };
  const args = (port: number): readonly string[] => [SERVER, String(port)];
  return startEmulator({ name: 'fauxqs', command: process.execPath, args, timeoutMs: START_TIMEOUT_MS });
}
