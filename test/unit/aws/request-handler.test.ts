import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, expect, test, vi } from 'vitest';
import { MAX_SOCKETS, timedRequestHandler, TIMEOUTS } from '../../../shared/adapters/aws/request-handler.ts';
import { resolveSettings, SETTINGS } from '../../../shared/config/settings.ts';

const SOCKETS = MAX_SOCKETS;

afterEach(() => void vi.restoreAllMocks());

interface Handed {
  readonly requestTimeout: number | undefined;
  readonly reply: () => void;
}

/** What reaches the SDK's own handler, which answers when it is told to. */
function handedOn(): Handed[] {
  const handed: Handed[] = [];
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async (_request, options) => {
    if (options?.abortSignal?.aborted === true) throw Object.assign(new Error('Request aborted'), { name: 'AbortError' });
    const { promise, resolve } = Promise.withResolvers<never>();
    const reply = { response: { body: { complete: true } } } as never;
    handed.push({ requestTimeout: options?.requestTimeout, reply: () => resolve(reply) });
    return promise;
  });
  return handed;
}

const request = (body: unknown) => ({ body }) as never;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a request that waits for a pooled connection is not timed meanwhile, neither its connection nor its whole', async () => {
  const handed = handedOn();
  const handler = timedRequestHandler();
  let asked = 0;
  const late = {
    get requestTimeout() {
      asked += 1;
      return 700;
    },
  };
  const first = Array.from({ length: SOCKETS }, async () => handler.handle(request('{}')));
  const last = handler.handle(request('{}'), late);
  await turn();
  expect([handed.length, asked]).toEqual([SOCKETS, 0]);
  handed[0]?.reply();
  await turn();
  expect([handed.length, handed.at(-1)?.requestTimeout]).toEqual([SOCKETS + 1, 700]);
  for (const one of handed) one.reply();
  await Promise.all([...first, last]);
});

test('requests wait in turn, and one that fails makes room for the next', async () => {
  const handler = timedRequestHandler();
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockRejectedValue(new Error('reset'));
  const all = await Promise.allSettled(Array.from({ length: 3 * SOCKETS }, async () => handler.handle(request('{}'))));
  expect(all.every(({ status }) => status === 'rejected')).toBe(true);
});

test('a request that is given up while it waits ends at once and is never sent', async () => {
  const handed = handedOn();
  const handler = timedRequestHandler();
  const impatient = new AbortController();
  for (let index = 0; index < SOCKETS; index++) void handler.handle(request('{}'));
  const waiting = handler.handle(request('{}'), { abortSignal: impatient.signal });
  impatient.abort();
  await expect(waiting).rejects.toThrow('Request aborted');
  for (const one of handed) one.reply();
  await turn();
  expect(handed).toHaveLength(SOCKETS);
});

test('a large request has time for its upload: a second for each megabit', async () => {
  const handed = handedOn();
  const handler = timedRequestHandler();
  for (const body of ['{}', Buffer.alloc(1_000_000), undefined]) void handler.handle(request(body));
  await turn();
  expect(handed.map(({ requestTimeout }) => requestTimeout)).toEqual([TIMEOUTS.requestMs, TIMEOUTS.requestMs + 8_000, TIMEOUTS.requestMs]);
});

test('the most jobs of a batch that run at once leave connections over: none waits for its turn', () => {
  const { max } = SETTINGS.batchConcurrency;
  expect(resolveSettings({ batchConcurrency: max }).batchConcurrency).toBe(max);
  expect(() => resolveSettings({ batchConcurrency: max + 1 })).toThrow(`batchConcurrency: ${max + 1}`);
  expect(max).toBeLessThan(MAX_SOCKETS);
});
