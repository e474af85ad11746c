import { startServer } from '../../console/server.ts';
import { type ActionAnswer, type Session } from '../../console/page.ts';
import { systemEntropy } from '../../shared/adapters/system.ts';

/** A console that listens, and a browser of few words that is signed in. */
export interface OpenConsole {
  readonly origin: string;
  newLink(): string;
  get(
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string; readonly location: string | null }>;
  act(name: string, body: unknown, signal?: AbortSignal): Promise<ActionAnswer & { readonly status: number }>;
  /** What nobody expected. */
  readonly problems: string[];
  close(): Promise<void>;
}

/** Starts a console over an admin and signs in. */
export async function openConsole(given: Pick<Session, 'admin'> & Partial<Session>): Promise<OpenConsole> {
  const problems: string[] = [];
  const session: Session = {
    place: { name: 'local', production: false },
    write: true,
    actor: 'anna',
    zone: 'UTC',
    now: Date.now,
    redact: [],
    onProblem: (what, error) => problems.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`),
    ...given,
  };
  const server = await startServer({
    session,
    entropy: systemEntropy,
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const headers = { origin, 'content-type': 'application/json' };
  const token = server.newLink().split('#')[1];
  const login = await fetch(`${origin}/login`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { key } = (await login.json()) as { readonly key: string };
  return {
    origin,
    newLink: () => server.newLink(),
    problems,
    async get(path, more = {}) {
      const answer = await fetch(`${origin}${path}`, { headers: { cookie, 'x-nightcrew-key': key, ...more }, redirect: 'manual' });
      return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
    },
    async act(name, body, signal) {
      const answer = await fetch(`${origin}/actions/${name}`, {
        method: 'POST',
        headers: { ...headers, cookie, 'x-nightcrew-key': key },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
      return { ...((await answer.json()) as ActionAnswer), status: answer.status };
    },
    close: async () => server.close(),
  };
}
