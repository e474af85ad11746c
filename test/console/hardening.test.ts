import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GuardedConsole, guardedConsole, SECRET, signIn } from './guarded-console.ts';
import { askRaw, type RawAnswer, talk } from './raw-requests.ts';

let console: GuardedConsole;
beforeAll(async () => {
  console = await guardedConsole();
});
afterAll(async () => console.server.close());

const hostOf = ({ port }: Pick<GuardedConsole, 'port'>) => ({ host: `127.0.0.1:${port}` });
const read = (path: string, cookie: string | undefined = console.cookie): Promise<RawAnswer> =>
  askRaw(console.port, { path, headers: { ...hostOf(console), ...(cookie === undefined ? {} : { cookie }) } });

function write(target: GuardedConsole, name: string, body: string): Promise<RawAnswer> {
  const { host } = hostOf(target);
  const headers = {
    host,
    origin: `http://${host}`,
    'content-type': 'application/json',
    cookie: target.cookie,
    'x-nightcrew-key': target.key,
  };
  return askRaw(target.port, { method: 'POST', path: name.startsWith('/') ? name : `/actions/${name}`, headers, body });
}

describe('the key of the console', () => {
  test('stands in the fragment of the link, signs in once, and says so the second time', async () => {
    const link = new URL(console.server.newLink());
    const token = link.hash.slice(1);
    expect(link.href.replace(link.hash, '')).toBe(`http://127.0.0.1:${console.port}/login`);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const first = await write(console, '/login', JSON.stringify({ token }));
    expect(first.status).toBe(200);
    const cookie = String([first.headers['set-cookie']].flat()[0]);
    expect(cookie).toMatch(/^nightcrew-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
    const second = await write(console, '/login', JSON.stringify({ token }));
    expect(second.status).toBe(401);
    expect(second.text).toContain('used already');
    expect(second.headers['set-cookie']).toBeUndefined();
  });

  test('is replaced by the next link, and earlier sessions go on', async () => {
    const old = console.server.newLink().split('#')[1];
    const { cookie } = await signIn(console.server);
    const answer = await write(console, '/login', JSON.stringify({ token: old }));
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('used already');
    expect((await read('/', cookie)).status).toBe(200);
    expect((await read('/')).status).toBe(200);
  });

  test.each(['{}', '[]', 'null', '"x"', '{"token":1}', '{"token":""}', 'no json', '', '{"token":{"toString":1}}'])(
    'is not %s',
    async (body) => {
      const answer = await write(console, '/login', body);
      expect([400, 401]).toContain(answer.status);
      expect(answer.headers['set-cookie']).toBeUndefined();
    },
  );

  test('is asked for by everything but the page that takes it and its two files', async () => {
    for (const path of ['/login', '/assets/login.css', '/assets/login.js']) expect((await read(path, '')).status, path).toBe(200);
    for (const path of [
      '/',
      '/jobs',
      '/nowhere',
      '/assets/console.css',
      '/assets/console.js',
      '/assets/actions.js',
      '/assets/icon.svg',
      '/actions/count',
    ]) {
      const answer = await read(path, '');
      expect(answer.status, path).toBe(401);
      expect(answer.text).not.toContain(SECRET);
    }
  });
});

describe('paths', () => {
  const CLIMBING = [
    '/assets/../server.ts',
    '/assets/..%2fserver.ts',
    '/assets/%2e%2e/server.ts',
    '/assets/..%5cserver.ts',
    '/assets/....//server.ts',
    '/assets//etc/passwd',
    '/assets/%00console.css',
    '/assets/console.css%00.js',
    '/assets/constructor',
    '/assets/__proto__',
    '/assets/',
    '/assets',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/actions/constructor',
  ];

  test.each(CLIMBING)('%s leads nowhere', async (path) => {
    const answer = await read(path);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toMatch(/root:|import |createServer/);
  });

  test('are never repeated as markup', async () => {
    const answer = await read('/%3Cscript%3Ealert(1)%3C/script%3E?q=%3Cscript%3E');
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('<script>alert');
  });

  test.each(['http://evil.example/', '//evil.example/', '*', 'evil.example:443'])('as a target, %s is refused', async (target) => {
    const heard = await talk(
      console.port,
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${console.port}\r\nCookie: ${console.cookie}\r\nConnection: close\r\n\r\n`,
    );
    expect(heard).toMatch(/^HTTP\/1\.1 4/);
    expect(heard).not.toContain(SECRET);
  });
});

test('a link of another site leads to a page that asks, and reads nothing by itself', async () => {
  const follow = async (target: string, more: Readonly<Record<string, string>> = {}): Promise<RawAnswer> => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', ...more };
    return askRaw(console.port, { path: target, headers: { ...hostOf(console), cookie: console.cookie, ...headers } });
  };
  const asked = await follow('/jobs?type=a%22b&count=1');
  expect(asked.status).toBe(403);
  expect(asked.text).toContain('<a href="/jobs?type=a%22b&amp;count=1">');
  expect(asked.text).not.toContain(SECRET);
  expect(asked.headers['content-security-policy']).toContain("default-src 'none'");
  expect((await follow('/\\evil.example/')).text).not.toMatch(/href="\/[\\/]/);
  expect((await follow('/', { 'sec-fetch-dest': 'image' })).text).not.toContain('<a ');
});

describe('bodies and headers', () => {
  test('larger than 1 MB are refused, with their length told or not', async () => {
    const before = console.ran();
    const large = JSON.stringify({ text: 'x'.repeat(1_000_001) });
    expect((await write(console, 'count', large)).status).toBe(413);
    const { host } = hostOf(console);
    const headers = {
      host,
      origin: `http://${host}`,
      'content-type': 'application/json',
      cookie: console.cookie,
      'x-nightcrew-key': console.key,
      'transfer-encoding': 'chunked',
    };
    // Its length is known only when it is too late to answer politely: the connection may end first.
    const chunked = await askRaw(console.port, { method: 'POST', path: '/actions/count', headers, body: large }).catch(() => ({
      status: 'connection ended',
    }));
    expect([413, 'connection ended']).toContain(chunked.status);
    expect(console.ran()).toBe(before);
  });

  test.each(['no json', '[1]', '"text"', '7', 'null', ''])('of an action are JSON objects: %s is not', async (body) => {
    const before = console.ran();
    expect((await write(console, 'count', body)).status).toBe(400);
    expect(console.ran()).toBe(before);
  });

  test('sent twice are refused', async () => {
    const { host } = hostOf(console);
    for (const [name, values] of [
      ['host', [host, 'evil.example']],
      ['origin', [`http://${host}`, 'http://evil.example']],
      ['sec-fetch-site', ['same-origin', 'cross-site']],
    ] as const) {
      const lines = values.map((value) => `${name}: ${value}\r\n`).join('');
      const rest = name === 'host' ? '' : `host: ${host}\r\n`;
      const heard = await talk(console.port, `GET / HTTP/1.1\r\n${rest}${lines}cookie: ${console.cookie}\r\nconnection: close\r\n\r\n`);
      expect(heard, name).toMatch(/^HTTP\/1\.1 400/);
    }
  });

  test('that come too slowly or are too many end the connection', async () => {
    const slow = await guardedConsole({}, { headersTimeoutMs: 200, requestTimeoutMs: 400 });
    const heard = await talk(slow.port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\nX-Slow: `);
    expect(heard).toMatch(/^HTTP\/1\.1 408/);
    const unfinished = await talk(
      slow.port,
      `POST /actions/count HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\nOrigin: http://127.0.0.1:${slow.port}\r\nContent-Type: application/json\r\nCookie: ${slow.cookie}\r\nContent-Length: 100\r\n\r\n{`,
    );
    expect(unfinished).not.toMatch(/^HTTP\/1\.1 200/);
    expect(slow.ran()).toBe(0);
    const many = await talk(slow.port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(many).toMatch(/^HTTP\/1\.1 431/);
    await slow.server.close();
  });
});

describe('actions', () => {
  test('are refused by the server of a read-only console, with a plain message', async () => {
    const readOnly = await guardedConsole({ write: false });
    const answer = await write(readOnly, 'count', '{}');
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toEqual({ ok: false, message: 'This console is read-only: start it with --write to act.' });
    expect(readOnly.ran()).toBe(0);
    await readOnly.server.close();
  });

  test('on many jobs in production need the name of the place or the count, and a dry run needs neither', async () => {
    const production = await guardedConsole({ place: { name: '123456789012 eu-west-1', production: true } });
    const status = async (body: unknown): Promise<number> => (await write(production, 'many', JSON.stringify(body))).status;
    expect(await status({})).toBe(400);
    expect(await status({ typed: '' })).toBe(400);
    expect(await status({ typed: '7', expected: 8 })).toBe(400);
    expect(await status({ typed: 'undefined' })).toBe(400);
    expect(production.ran()).toBe(0);
    expect(await status({ dryRun: true })).toBe(200);
    expect(await status({ typed: '8', expected: 8, dryRun: false })).toBe(200);
    expect(await status({ typed: '123456789012 eu-west-1' })).toBe(200);
    expect(production.ran()).toBe(3);
    await production.server.close();
  });

  test.each([
    ['unavailable', 503, 'Try again', 'may have been done'],
    ['refused', 502, 'credentials', 'credentials'],
    ['unexpected', 500, 'terminal', 'before you repeat it'],
  ])('and pages that meet a store that is %s say what to do, and show no stack', async (kind, status, word, ofAction) => {
    const page = await read(`/trouble/${kind}`);
    const action = await write(console, 'fail', JSON.stringify({ kind }));
    for (const answer of [page, action]) {
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(answer === page ? word : ofAction);
      expect(answer.text).not.toMatch(/at .*\.ts|node_modules|10\.0\.0\.1|arn:aws|internals/);
    }
    expect(console.problems.some((what) => what.includes('trouble'))).toBe(kind === 'unexpected');
  });
});

describe('the server', () => {
  test('listens on the loopback address alone', async () => {
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one !== undefined && !one.internal && one.family === 'IPv4')
      .map((one) => one?.address ?? '');
    for (const address of others)
      await expect(talk(console.port, 'GET / HTTP/1.1\r\n\r\n', address)).rejects.toThrow(/ECONNREFUSED|EHOSTUNREACH/);
    expect(console.server.newLink()).toContain('127.0.0.1');
  });

  test('ends with its connections', async () => {
    const short = await guardedConsole();
    const open = talk(short.port, 'GET / HTTP/1.1\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await short.server.close();
    expect(await open).toBe('');
  });
});
