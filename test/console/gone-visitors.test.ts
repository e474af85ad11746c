import { once } from 'node:events';
import { connect } from 'node:net';
import { html } from 'hono/html';
import { afterEach, expect, test, vi } from 'vitest';
import type { Page } from '../../console/page.ts';
import { readsAreStopped, stoppableReads } from '../../operate/read-until.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { type GuardedConsole, guardedConsole } from './guarded-console.ts';
import { WAIT } from '../support/patience.ts';
import { talk } from './raw-requests.ts';

let console: GuardedConsole;
afterEach(async () => console.server.close());

/** Sends bytes; `leave` ends the connection in the middle of whatever goes on. */
async function speak(bytes: string): Promise<{ readonly leave: () => void }> {
  const socket = connect(console.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return { leave: () => socket.destroy() };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${console.port}\r\nCookie: ${console.cookie}\r\n\r\n`;

test('a browser that leaves ends the reads of its page at the next request, and nothing is logged', async () => {
  const tables = createMemoryTables();
  const query = vi.spyOn(tables, 'query');
  const reads = stoppableReads(tables);
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  const readsOn: Page = {
    path: '/reads',
    title: 'Reads',
    render: async () => {
      try {
        for (;;) {
          await reads.query({ table: 'jobs', partition: 'x', limit: 1 });
          begun.resolve();
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended.resolve(readsAreStopped());
      }
    },
  };
  console = await guardedConsole({}, { pages: [readsOn] });
  const visitor = await speak(get('/reads'));
  await begun.promise;
  visitor.leave();
  expect(await ended.promise).toBe(true);
  const before = query.mock.calls.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(query.mock.calls.length).toBe(before);
  expect(console.problems).toEqual([]);
});

test('a thousand requests in one go begin eight pages at once, and those that find no place are told so', async () => {
  let [atWork, most, begun] = [0, 0, 0];
  const free = Promise.withResolvers<void>();
  const slow: Page = {
    path: '/slow',
    title: 'Slow',
    render: async () => {
      begun++;
      most = Math.max(most, ++atWork);
      await free.promise;
      atWork--;
      return html`<p>slow</p>`;
    },
  };
  console = await guardedConsole({}, { pages: [slow] });
  const heard = talk(console.port, `${get('/slow').repeat(999)}${get('/slow').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
  await vi.waitFor(() => expect(begun).toBe(8), WAIT);
  free.resolve();
  const answers = (await heard).match(/HTTP\/1\.1 \d+/g) ?? [];
  expect(most).toBe(8);
  expect(answers.filter((answer) => answer.endsWith('200'))).toHaveLength(40);
  expect(answers.filter((answer) => answer.endsWith('503'))).toHaveLength(960);
  expect(console.problems).toEqual([]);
});

test('a body that is cut off is no problem to tell in the terminal, whatever its path says', async () => {
  console = await guardedConsole();
  const visitor = await speak(
    `POST /%1b%5d0;pwned%07%0aconsole:%20forged HTTP/1.1\r\nHost: 127.0.0.1:${console.port}\r\nOrigin: http://127.0.0.1:${console.port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":`,
  );
  await new Promise((resolve) => setImmediate(resolve));
  visitor.leave();
  // The answer to a later request comes after everything that the end of the connection has set off.
  await talk(console.port, get('/').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(console.problems).toEqual([]);
});
