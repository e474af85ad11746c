import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { credentialsTreatedAsExpired, credentialsWillNeedRefresh, defaultProvider } from '../../../shared/lambda/lambda-credentials.ts';

const VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_CREDENTIAL_EXPIRATION',
  'AWS_CREDENTIAL_SCOPE',
  'AWS_ACCOUNT_ID',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
];
const REPLY = { AccessKeyId: 'ASIA1', SecretAccessKey: 'secret', Token: 'token', Expiration: '2026-01-01T01:00:00Z' };
const FETCHED = { accessKeyId: 'ASIA1', secretAccessKey: 'secret', sessionToken: 'token', expiration: new Date(REPLY.Expiration) };

beforeEach(() => VARIABLES.forEach((name) => vi.stubEnv(name, undefined)));
afterEach(() => vi.unstubAllEnvs());

const set = (variables: Readonly<Record<string, string>>): void =>
  Object.entries(variables).forEach(([name, value]) => vi.stubEnv(name, value));

/** An endpoint on loopback that the environment names; each request is answered by the next answer, the last one forever. */
async function endpoint(...answers: readonly ((request: IncomingMessage, response: ServerResponse) => void)[]): Promise<{ asked: number }> {
  const seen = { asked: 0 };
  const server = createServer((request, response) => {
    answers[Math.min(seen.asked, answers.length - 1)]?.(request, response);
    seen.asked += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` });
  return seen;
}

const says =
  (reply: unknown, status = 200) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status).end(JSON.stringify(reply));

describe('credentials in a function bundle', () => {
  it('are those that Lambda sets in the environment', async () => {
    set({ AWS_ACCESS_KEY_ID: 'ASIA1', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' });
    expect(await defaultProvider()()).toEqual({ accessKeyId: 'ASIA1', secretAccessKey: 'secret', sessionToken: 'token' });
  });

  it('take along all else that the environment says of them', async () => {
    set({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's', AWS_CREDENTIAL_EXPIRATION: '2026-01-01T01:00:00Z' });
    set({ AWS_CREDENTIAL_SCOPE: 'us-east-1', AWS_ACCOUNT_ID: '123456789012' });
    expect(await defaultProvider()()).toMatchObject({
      expiration: new Date('2026-01-01T01:00:00Z'),
      credentialScope: 'us-east-1',
      accountId: '123456789012',
    });
  });

  it('are read once from the environment, where they do not change, unless it says that they end', async () => {
    const provider = defaultProvider();
    set({ AWS_ACCESS_KEY_ID: 'first', AWS_SECRET_ACCESS_KEY: 's' });
    await provider();
    set({ AWS_ACCESS_KEY_ID: 'second', AWS_CREDENTIAL_EXPIRATION: '2026-01-01T01:00:00Z' });
    expect(await provider()).toMatchObject({ accessKeyId: 'first' });
    expect(await provider({ forceRefresh: true })).toMatchObject({ accessKeyId: 'second' });
    set({ AWS_ACCESS_KEY_ID: 'third' });
    expect(await provider()).toMatchObject({ accessKeyId: 'third' });
  });

  it('are refused with the names of the variables where there are none', async () => {
    set({ AWS_SECRET_ACCESS_KEY: 'half of a pair' });
    await expect(defaultProvider()()).rejects.toMatchObject({
      name: 'CredentialsProviderError',
      tryNextLink: false,
      message: expect.stringMatching(/^(?!.*half of a pair).*AWS_ACCESS_KEY_ID/) as string,
    });
  });

  it('are fetched from the loopback address that the environment names, with its token', async () => {
    set({ AWS_CONTAINER_AUTHORIZATION_TOKEN: 'let me in' });
    const asked: unknown[] = [];
    await endpoint((request, response) => {
      asked.push(request.url, request.headers.authorization);
      says(REPLY)(request, response);
    });
    expect(await defaultProvider()()).toEqual(FETCHED);
    expect(asked).toEqual(['/keys', 'let me in']);
  });

  it('are asked for again when the endpoint fails, and not forever', async () => {
    await endpoint(says({}, 500), says(REPLY));
    expect(await defaultProvider()()).toEqual(FETCHED);
    const broken = await endpoint(says({}, 500));
    const refusal = await defaultProvider()().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ message: expect.stringContaining('gave no credentials'), cause: new Error('status 500') });
    expect(broken.asked).toBe(3);
  });

  it('without an end, keys or a token are none', async () => {
    for (const lacking of Object.keys(REPLY)) {
      await endpoint(says({ ...REPLY, [lacking]: undefined }));
      await expect(defaultProvider()(), lacking).rejects.toThrow('gave no credentials');
    }
  });

  it('are not asked for where the endpoint points to, because the token would go there too', async () => {
    const other = await endpoint(says(REPLY));
    const location = process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? '';
    await endpoint((_, response) => void response.writeHead(302, { location }).end());
    await expect(defaultProvider()()).rejects.toThrow('gave no credentials');
    expect(other.asked).toBe(0);
  });

  it.each([
    'http://example.com/keys',
    'http://127.0.0.1.example.com/keys',
    'http://localhost@example.com/',
    'file:///etc/passwd',
    'nonsense',
  ])('are never asked for at %s', async (uri) => {
    const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('asked'));
    onTestFinished(() => asked.mockRestore());
    set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: uri });
    await expect(defaultProvider()()).rejects.toThrow('AWS_CONTAINER_CREDENTIALS_FULL_URI');
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('the end of credentials', () => {
  it('is five minutes before they expire, so that no request carries keys that end under way', () => {
    const expiration = new Date(1_000_000);
    expect(credentialsTreatedAsExpired({ expiration }, 1_000_000 - 5 * 60_000)).toBe(false);
    expect(credentialsTreatedAsExpired({ expiration }, 1_000_000 - 5 * 60_000 + 1)).toBe(true);
  });

  it('never comes for those that have none', () => {
    expect([credentialsTreatedAsExpired({}), credentialsWillNeedRefresh({})]).toEqual([false, false]);
    expect(credentialsWillNeedRefresh({ expiration: new Date(0) })).toBe(true);
  });
});
