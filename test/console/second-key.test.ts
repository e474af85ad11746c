import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GuardedConsole, guardedConsole, SECRET, signIn } from './guarded-console.ts';
import { askRaw, type RawAnswer } from './raw-requests.ts';

let console: GuardedConsole;
beforeAll(async () => {
  console = await guardedConsole();
});
afterAll(async () => console.server.close());

async function ask(method: 'GET' | 'POST', more: Readonly<Record<string, string>>): Promise<RawAnswer> {
  const host = `127.0.0.1:${console.port}`;
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/json', cookie: console.cookie, ...more };
  const path = method === 'POST' ? '/actions/count' : '/';
  return askRaw(console.port, { method, path, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
}

test('a cookie that another port of this machine was sent acts on nothing and refreshes nothing', async () => {
  const other = await signIn(console.server);
  expect((await ask('GET', {})).text).toContain(SECRET);
  for (const key of [{}, { 'x-nightcrew-key': '' }, { 'x-nightcrew-key': other.key }, { 'x-nightcrew-key': console.cookie }]) {
    const [action, refresh] = [await ask('POST', key), await ask('GET', { 'x-nightcrew-refresh': '1', ...key })];
    expect([action.status, refresh.status]).toEqual([401, 401]);
    expect(action.text).toContain('does not hold the key');
    expect(refresh.text).not.toContain(SECRET);
  }
  expect(console.ran()).toBe(0);
  expect((await ask('POST', { 'x-nightcrew-key': console.key })).status).toBe(200);
  expect((await ask('GET', { 'x-nightcrew-refresh': '1', 'x-nightcrew-key': console.key })).text).toContain(SECRET);
});

test('the key is given once, to the page that opened the link, and stands in no cookie', () => {
  expect(Buffer.from(console.key, 'base64url')).toHaveLength(32);
  expect(console.cookie).not.toContain(console.key);
});
