import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaultProvider } from '../../../shared/lambda/lambda-credentials.ts';
import type { LambdaCredentials } from '../../../shared/lambda/memoized-credentials.ts';
import { memoizedCredentials } from '../../../shared/lambda/memoized-credentials.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { WAIT } from '../../support/patience.ts';

const MINUTE = 60_000;

afterEach(() => vi.unstubAllEnvs());

/** A client of DynamoDB as in a bundle; its server gives credentials too, `key-1`, `key-2` and so on, each for an hour. */
async function bundledClient(): Promise<{ client: DynamoDBClient; clock: SettableClock; fetched: () => number; signedWith: string[] }> {
  const clock = new SettableClock();
  const signedWith: string[] = [];
  let fetched = 0;
  const answer = ({ url, headers }: IncomingMessage): unknown => {
    if (url !== '/keys') return void signedWith.push(/Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? '');
    const Expiration = new Date(clock.now() + 60 * MINUTE).toISOString();
    return { AccessKeyId: `key-${++fetched}`, SecretAccessKey: 'secret', Token: 'token', Expiration };
  };
  const server = createServer((request, response) => response.end(JSON.stringify(answer(request) ?? {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${endpoint}/keys`);
  const client = new DynamoDBClient({ endpoint, region: 'eu-west-1', credentialDefaultProvider: (init) => defaultProvider(init, clock) });
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { client, clock, fetched: () => fetched, signedWith };
}

const get = (): GetItemCommand => new GetItemCommand({ TableName: 'jobs', Key: { id: { S: 'a' } } });

describe('a client in a function bundle', () => {
  it('fetches its credentials once for all its requests, also for those that begin together', async () => {
    const { client, fetched, signedWith } = await bundledClient();
    await Promise.all(Array.from({ length: 5 }, async () => client.send(get())));
    for (let n = 0; n < 5; n++) await client.send(get());
    expect(signedWith).toEqual(Array(10).fill('key-1'));
    expect(fetched()).toBe(1);
  });

  it('goes on with its credentials in their last five minutes while new ones are fetched, and waits for new ones after their end', async () => {
    const { client, clock, fetched, signedWith } = await bundledClient();
    await client.send(get());
    await clock.advance(55 * MINUTE + 1);
    await client.send(get());
    await vi.waitFor(() => expect(fetched()).toBe(2), WAIT);
    await vi.waitFor(async () => {
      await client.send(get());
      expect(signedWith.at(-1)).toBe('key-2');
    }, WAIT);
    await clock.advance(60 * MINUTE);
    await client.send(get());
    expect(signedWith.at(-1)).toBe('key-3');
    expect([signedWith.slice(0, 2), fetched()]).toEqual([['key-1', 'key-1'], 3]);
  });
});

interface Fetch {
  gives(keys: LambdaCredentials): Promise<void>;
  fails(): Promise<void>;
}

/** A provider whose fetches end when the test says so. It has `key-1`, with so much left. */
async function holding(leftMs: number) {
  const clock = new SettableClock();
  const fetches: Fetch[] = [];
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const provider = memoizedCredentials(() => {
    const { promise, resolve, reject } = Promise.withResolvers<LambdaCredentials>();
    const gives = (keys: LambdaCredentials): Promise<void> => (resolve(keys), settled());
    fetches.push({ gives, fails: () => (reject(new Error('no answer')), settled()) });
    return promise;
  }, clock);
  const first = provider();
  await fetches.shift()?.gives(keys('key-1', clock.now() + 1_000 + leftMs));
  await first;
  await clock.advance(1_000);
  return { clock, fetches, provider, later: keys('key-2', clock.now() + 60 * MINUTE) };
}

const keys = (accessKeyId: string, ends: number): LambdaCredentials => ({
  accessKeyId,
  secretAccessKey: 's',
  expiration: new Date(ends),
});

describe('memoized credentials', () => {
  it('are not fetched again before their last five minutes', async () => {
    const { fetches, provider } = await holding(5 * MINUTE);
    expect(await provider()).toMatchObject({ accessKeyId: 'key-1' });
    expect(fetches).toHaveLength(0);
  });

  it('are given at once while new ones are fetched, by one fetch', async () => {
    const { fetches, provider, later } = await holding(5 * MINUTE - 1);
    expect(await Promise.all([provider(), provider()])).toMatchObject([{ accessKeyId: 'key-1' }, { accessKeyId: 'key-1' }]);
    expect(fetches).toHaveLength(1);
    await fetches[0]?.gives(later);
    expect(await provider()).toBe(later);
  });

  it('are kept when that fetch fails, and who failed is asked again a second later', async () => {
    const { clock, fetches, provider, later } = await holding(MINUTE);
    await provider();
    await fetches[0]?.fails();
    expect(await provider()).toMatchObject({ accessKeyId: 'key-1' });
    expect(fetches).toHaveLength(1);
    await clock.advance(1_000);
    expect(await provider()).toMatchObject({ accessKeyId: 'key-1' });
    await fetches[1]?.gives(later);
    expect(await provider()).toBe(later);
  });

  it('are fetched in the background without ending the process when that fails', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    onTestFinished(() => void process.off('unhandledRejection', listen));
    const { fetches, provider } = await holding(MINUTE);
    await provider();
    await fetches[0]?.fails();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('are waited for when they could end under way, and used all the same if there are no others', async () => {
    const { fetches, provider, later } = await holding(15_000);
    const waiting = provider();
    await fetches[0]?.fails();
    expect(await waiting).toMatchObject({ accessKeyId: 'key-1' });
    const again = Promise.all([provider(), provider()]);
    await fetches[1]?.gives(later);
    expect(await again).toEqual([later, later]);
    expect(fetches).toHaveLength(2);
  });

  it('that have ended are never given because the fetch of others failed', async () => {
    const { clock, fetches, provider, later } = await holding(MINUTE);
    await clock.advance(MINUTE);
    const waiting = provider();
    await Promise.all([fetches[0]?.fails(), expect(waiting).rejects.toThrow('no answer')]);
    const again = provider();
    await fetches[1]?.gives(later);
    expect(await again).toBe(later);
  });

  it('that have ended when they come are given on, not asked for without end', async () => {
    const { clock, fetches, provider } = await holding(MINUTE);
    const ended = keys('key-0', clock.now() - 1);
    await clock.advance(MINUTE);
    const waiting = provider();
    await fetches[0]?.gives(ended);
    expect(await waiting).toBe(ended);
    expect(fetches).toHaveLength(1);
  });

  it('are fetched by force, whatever they have left; a failure is told, and costs the old ones nothing', async () => {
    const { fetches, provider, later } = await holding(60 * MINUTE);
    const failing = provider({ forceRefresh: true });
    await Promise.all([fetches[0]?.fails(), expect(failing).rejects.toThrow('no answer')]);
    expect(await provider()).toMatchObject({ accessKeyId: 'key-1' });
    const forced = provider({ forceRefresh: true });
    await fetches[1]?.gives(later);
    expect(await forced).toBe(later);
    expect(await provider()).toBe(later);
  });
});
