import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GuardedConsole, guardedConsole, SECRET } from './guarded-console.ts';
import { askRaw, type RawAnswer } from './raw-requests.ts';

/** One request, each part as a word; the words become headers in `headersOf`. */
interface Attempt {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH';
  readonly host: string;
  readonly origin: string;
  readonly site: string;
  readonly mode: string;
  readonly type: string;
  readonly cookie: 'mine' | 'none' | 'wrong' | 'twice' | 'mine and another';
}

const HOSTS = [
  '127.0.0.1:PORT',
  'localhost:PORT',
  '[::1]:PORT',
  'LOCALHOST:PORT',
  '127.0.0.1',
  '127.0.0.1:1',
  'evil.example',
  'evil.example:PORT',
];
const HOSTILE_HOSTS = ['127.0.0.1:PORT.evil.example', 'localhost:PORT@evil.example', '127.1:PORT', '0.0.0.0:PORT', '127.0.0.1:0PORT', ''];
const ORIGINS = ['none', 'http://HOST', 'http://evil.example', 'null', 'https://HOST', 'http://HOST.evil.example'];
const SITES = ['none sent', 'same-origin', 'none', 'same-site', 'cross-site'];
const MODES = ['none sent', 'navigate', 'cors', 'no-cors'];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'none',
  'multipart/form-data',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const;
const COOKIES = ['mine', 'none', 'wrong', 'twice', 'mine and another'] as const;

const GOOD: Attempt = {
  method: 'POST',
  host: '127.0.0.1:PORT',
  origin: 'http://HOST',
  site: 'same-origin',
  mode: 'cors',
  type: 'application/json',
  cookie: 'mine',
};

/** Every host with every origin and site, read and write; every method with every type, cookie and site; every mode of what a person opens. */
function attempts(): readonly Attempt[] {
  const all: Attempt[] = [];
  for (const host of [...HOSTS, ...HOSTILE_HOSTS]) {
    for (const origin of ORIGINS) {
      for (const site of SITES) for (const method of ['GET', 'POST'] as const) all.push({ ...GOOD, host, origin, site, method });
    }
  }
  for (const method of METHODS) {
    for (const cookie of COOKIES) for (const type of TYPES) all.push({ ...GOOD, method, cookie, type });
    for (const mode of MODES) for (const site of SITES) all.push({ ...GOOD, method, mode, site, origin: 'none' });
  }
  return all;
}

let console: GuardedConsole;
beforeAll(async () => {
  console = await guardedConsole();
});
afterAll(async () => console.server.close());

const hostOf = ({ host }: Attempt): string => host.replace('PORT', String(console.port));

function headersOf(attempt: Attempt): Record<string, string> {
  const host = hostOf(attempt);
  const name = console.cookie.split('=')[0] ?? '';
  const cookies = {
    mine: console.cookie,
    none: '',
    wrong: `${name}=${'A'.repeat(43)}`,
    twice: `${name}=x; ${console.cookie}`,
    'mine and another': `${console.cookie}; ${name}=x`,
  };
  const given = {
    host,
    origin: attempt.origin === 'none' ? '' : attempt.origin.replace('HOST', host.toLowerCase()),
    'sec-fetch-site': attempt.site === 'none sent' ? '' : attempt.site,
    'sec-fetch-mode': attempt.mode === 'none sent' ? '' : attempt.mode,
    'content-type': attempt.type === 'none' ? '' : attempt.type,
    cookie: cookies[attempt.cookie],
    'x-nightcrew-key': console.key,
  };
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => value !== '' || key === 'host'));
}

/** The rule in other words than the console's: what this machine's own page sends, or what a person opens, with the cookie. */
function mayPass(attempt: Attempt): boolean {
  const { method, origin, site, mode, type, cookie } = attempt;
  const ours = HOSTS.slice(0, 4).includes(attempt.host);
  const sameOrigin = origin === 'none' || origin === 'http://HOST';
  if (!ours || !sameOrigin || cookie !== 'mine') return false;
  switch (method) {
    case 'GET':
    case 'HEAD':
      return site === 'none sent' || site === 'same-origin' || (site === 'none' && (mode === 'navigate' || mode === 'none sent'));
    case 'POST': {
      const byOwnPage = site === 'same-origin' || (site === 'none sent' && origin === 'http://HOST');
      return byOwnPage && type.split(';')[0] === 'application/json';
    }
    default:
      return false;
  }
}

function isSafe({ headers }: RawAnswer): boolean {
  const cors = Object.keys(headers).some((name) => name.startsWith('access-control-'));
  const policy = String(headers['content-security-policy']);
  return (
    !cors &&
    policy.includes("default-src 'none'") &&
    policy.includes("frame-ancestors 'none'") &&
    !policy.includes('unsafe') &&
    headers['x-content-type-options'] === 'nosniff' &&
    headers['referrer-policy'] === 'no-referrer' &&
    headers['cross-origin-resource-policy'] === 'same-origin' &&
    headers['cache-control'] === 'no-store'
  );
}

describe('the console', () => {
  const all = attempts();

  test(`serves exactly its own pages and their actions, over ${all.length} combinations of headers`, async () => {
    expect(all.length).toBeGreaterThan(500);
    const wrong: string[] = [];
    let passed = 0;
    for (const attempt of all) {
      const { method } = attempt;
      const before = console.ran();
      const body = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? undefined : '{}';
      const path = method === 'GET' || method === 'HEAD' ? '/' : '/actions/count';
      const answer = await askRaw(console.port, { method, path, headers: headersOf(attempt), ...(body === undefined ? {} : { body }) });
      const served = answer.status === 200;
      const showed = method === 'GET' ? answer.text.includes(SECRET) : method === 'HEAD' ? served : console.ran() > before;
      const expected = mayPass(attempt);
      if (expected) passed++;
      // An empty Host is refused by the parser itself, before any header of ours.
      const safe = isSafe(answer) || answer.status === 400;
      if (served !== expected || showed !== expected || !safe) wrong.push(`${JSON.stringify(attempt)}: ${answer.status}`);
    }
    expect(wrong).toEqual([]);
    // Both verdicts are there: a rule that refuses everything would pass otherwise.
    expect(passed).toBeGreaterThan(30);
    expect(all.length - passed).toBeGreaterThan(400);
  });

  test('says which part of a request was wrong by its status', async () => {
    const status = async (change: Partial<Attempt>): Promise<number> => {
      const attempt = { ...GOOD, ...change };
      return (await askRaw(console.port, { method: attempt.method, path: '/actions/count', headers: headersOf(attempt), body: '{}' }))
        .status;
    };
    expect(await status({})).toBe(200);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ site: 'cross-site' })).toBe(403);
    expect(await status({ site: 'none' })).toBe(403);
    expect(await status({ type: 'text/plain' })).toBe(415);
    expect(await status({ method: 'PUT' })).toBe(405);
    expect(await status({ cookie: 'none' })).toBe(401);
  });

  test('is not shown in a frame, whatever the frame is', async () => {
    for (const dest of ['iframe', 'frame', 'embed', 'object', 'fencedframe']) {
      const headers = { ...headersOf({ ...GOOD, method: 'GET', origin: 'none' }), 'sec-fetch-dest': dest };
      expect((await askRaw(console.port, { headers })).status).toBe(403);
    }
  });
});
