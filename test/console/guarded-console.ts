import { html } from 'hono/html';
import type { Action, Page, Session } from '../../console/page.ts';
import { type ConsoleServer, type ServerOptions, startServer } from '../../console/server.ts';
import type { Admin } from '../../operate/index.ts';
import { systemEntropy } from '../../shared/adapters/system.ts';
import { StoreRefusedError, StoreUnavailableError } from '../../shared/job/errors.ts';
import { askRaw } from './raw-requests.ts';

/** What a page shows that nobody else may see. */
export const SECRET = 'a secret of the deployment';

/** A console whose one page shows a secret and whose one action counts how often it ran. */
export interface GuardedConsole {
  readonly server: ConsoleServer;
  readonly port: number;
  readonly cookie: string;
  readonly key: string;
  ran(): number;
  readonly problems: readonly string[];
}

const TROUBLES: Readonly<Record<string, () => Error>> = {
  unavailable: () => new StoreUnavailableError('get', new Error('at 10.0.0.1')),
  refused: () =>
    new StoreRefusedError('query', Object.assign(new Error('arn:aws:iam::123456789012:role/x'), { name: 'AccessDeniedException' })),
  unexpected: () => new TypeError('cannot read properties of undefined (reading internals)'),
};

const secretPage: Page = { path: '/', title: 'Secret', render: async () => html`<p>${SECRET}</p>` };
const troublePage: Page = {
  path: '/trouble/:kind',
  title: 'Trouble',
  render: async ({ params }) => {
    throw (TROUBLES[params['kind'] ?? ''] ?? TROUBLES['unexpected'] ?? Error)();
  },
};

/** Starts it and signs in. */
export async function guardedConsole(session: Partial<Session> = {}, options: Partial<ServerOptions> = {}): Promise<GuardedConsole> {
  let ran = 0;
  const problems: string[] = [];
  const count: Action = { name: 'count', run: async () => ({ ok: true, message: `ran ${++ran} times` }) };
  const many: Action = { name: 'many', bulk: 'count', run: async () => ({ ok: true, message: `ran ${++ran} times` }) };
  const fail: Action = {
    name: 'fail',
    run: async (_session, { kind }) => {
      throw (TROUBLES[String(kind)] ?? Error)();
    },
  };
  const server = await startServer({
    session: {
      admin: {} as Admin,
      place: { name: 'local', production: false },
      write: true,
      actor: 'anna',
      zone: 'UTC',
      now: () => 0,
      redact: [],
      onProblem: (what) => problems.push(what),
      ...session,
    },
    entropy: systemEntropy,
    pages: [secretPage, troublePage],
    actions: [count, many, fail],
    ...options,
  });
  return { server, port: server.port, ...(await signIn(server)), ran: () => ran, problems };
}

/** Uses up a link; the cookie as a browser sends it, and the key that only the page holds. */
export async function signIn({ port, newLink }: Pick<ConsoleServer, 'port' | 'newLink'>): Promise<Pick<GuardedConsole, 'cookie' | 'key'>> {
  const [, token] = newLink().split('#');
  const host = `127.0.0.1:${port}`;
  const { headers, text } = await askRaw(port, {
    method: 'POST',
    path: '/login',
    headers: { host, origin: `http://${host}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const { key } = JSON.parse(text) as { readonly key: string };
  return { cookie: String([headers['set-cookie']].flat()[0]).split(';')[0] ?? '', key };
}
