import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startDynoxide } from '../../local/emulators/dynoxide.ts';
import { startEmbeddedDynamo } from '../../local/emulators/embedded-dynamo.ts';
import { startFauxqs } from '../../local/emulators/fauxqs.ts';
import { systemClock } from '../../shared/adapters/system.ts';

const MODULE = new URL('../../local/emulators/dynoxide.ts', import.meta.url).href;

async function listens(endpoint: string): Promise<boolean> {
  const socket = connect(Number(new URL(endpoint).port), '127.0.0.1');
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}

async function stopsListening(endpoint: string): Promise<boolean> {
  for (let tries = 0; tries < 50; tries += 1) {
    if (!(await listens(endpoint))) return true;
    await systemClock.wait(50);
  }
  return false;
}

/** A process that starts the store, prints its endpoint and then does what `then` says. */
async function startInChild(then: string): Promise<{ readonly endpoint: string; readonly kill: (signal: NodeJS.Signals) => void }> {
  const source = `import { startDynoxide } from '${MODULE}'; console.log((await startDynoxide({})).endpoint); ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { endpoint: chunk.toString().trim(), kill: (signal) => void child.kill(signal) };
}

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('the store ends with the process that started it, also by %s', async (signal) => {
  const { endpoint, kill } = await startInChild('process.stdin.resume();');
  expect(await listens(endpoint)).toBe(true);
  kill(signal);
  expect(await stopsListening(endpoint)).toBe(true);
});

test('a process that forgets to stop the store ends all the same, and the store with it', async () => {
  const { endpoint } = await startInChild('');
  expect(await stopsListening(endpoint)).toBe(true);
});

test('stopping the store twice is no error', async () => {
  const store = await startDynoxide({});
  await store.stop();
  await store.stop();
  expect(await listens(store.endpoint)).toBe(false);
});

test('an endpoint that the environment gives is used and nothing is started', async () => {
  const dynamo = await startDynoxide({ AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1', AWS_ENDPOINT_URL: 'http://127.0.0.1:2' });
  const sqs = await startFauxqs({ AWS_ENDPOINT_URL: 'http://127.0.0.1:2' });
  expect([dynamo.endpoint, dynamo.pid, sqs.endpoint]).toEqual(['http://127.0.0.1:1', undefined, 'http://127.0.0.1:2']);
  await Promise.all([dynamo.stop(), sqs.stop()]);
});

test('where neither Dynoxide nor Java is found, the error says what to start instead', async () => {
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startEmbeddedDynamo({}, 'sunos-sparc')).rejects.toThrow(
    /no binary for sunos-sparc.*JDK 17.*no java on the PATH.*docker run.*AWS_ENDPOINT_URL_DYNAMODB/s,
  );
});

test('the queues listen on loopback only and stop', async () => {
  const sqs = await startFauxqs({});
  expect(sqs.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await listens(sqs.endpoint)).toBe(true);
  await sqs.stop();
  expect(await listens(sqs.endpoint)).toBe(false);
});
