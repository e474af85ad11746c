import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isLoopback, listensBeyondLoopback, withDescendants } from './listening.ts';

/** A server of this process, without connections. */
async function listenOn(host: string): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
}

test('addresses of the loopback interface are told from all others', () => {
  const v6 = (last: string): string => `${'0'.repeat(24)}${last}`;
  const loopback = ['0100007F:9A1C', `${v6('01000000')}:1F90`, '0000000000000000FFFF00000100007F:C103'];
  const others = ['00000000:9A1C', '0101A8C0:9A1C', `${v6('00000000')}:1F90`, '0000000000000000FFFF000000000000:C103'];
  expect([...loopback, ...others].map(isLoopback)).toEqual([true, true, true, false, false, false, false]);
});

test.runIf(process.platform === 'linux')('a listener on loopback is none beyond it, whatever its notation', async () => {
  for (const host of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) await listenOn(host);
  expect(listensBeyondLoopback(process.pid)).toEqual([]);
});

test.runIf(process.platform === 'linux')('a process and what descends from it are one family', () => {
  expect(withDescendants(process.ppid)).toContain(process.pid);
});
