import { EventEmitter } from 'node:events';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { timedRequestHandler, TIMEOUTS } from '../../../shared/adapters/aws/request-handler.ts';

const SOCKETS = 256;

afterEach(() => void vi.restoreAllMocks());

/** A reply whose head is there, and whose body arrives later or never. */
class Body extends EventEmitter {
  readonly complete = false;
  broken: (Error & { code?: string }) | undefined;

  destroy(error: Error): void {
    this.broken = error;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const request = { body: '{}' } as never;

/** A handler whose requests all get such a reply, `headMs` after they were sent, and the limits that it sets for bodies. */
function slowBodies(headMs = 0) {
  const bodies: Body[] = [];
  let now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now);
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async (_request, options) => {
    if (options?.abortSignal?.aborted === true) throw new Error('aborted');
    now += headMs;
    const body = new Body();
    bodies.push(body);
    return { response: { body } } as never;
  });
  const limits: { readonly ms: number; readonly over: AbortController }[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const over = new AbortController();
    limits.push({ ms, over });
    return over.signal;
  });
  return { handler: timedRequestHandler(), bodies, limits };
}

describe('the body of a reply', () => {
  test.each([
    { headMs: 0, ms: TIMEOUTS.requestMs },
    { headMs: 2_000, ms: TIMEOUTS.requestMs - 2_000 },
    { headMs: 9_000, ms: 0 },
    { headMs: -60_000, ms: TIMEOUTS.requestMs },
  ])('has the time that its head left, and never more than the whole ($headMs ms)', async ({ headMs, ms }) => {
    const { handler, limits } = slowBodies(headMs);
    await handler.handle(request);
    expect(limits.map((limit) => limit.ms)).toEqual([ms]);
  });

  test('is broken off when that is over, as a timeout that is tried again', async () => {
    const { handler, bodies, limits } = slowBodies();
    await handler.handle(request);
    expect(bodies[0]?.broken).toBeUndefined();
    limits[0]?.over.abort();
    expect(bodies[0]?.broken).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' });
  });

  test('is broken off at once when that was over before', async () => {
    const { handler, bodies } = slowBodies();
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
    await handler.handle(request);
    expect(bodies[0]?.broken).toMatchObject({ name: 'TimeoutError' });
  });

  test('that was read is left alone', async () => {
    const { handler, bodies, limits } = slowBodies();
    await handler.handle(request);
    bodies[0]?.emit('close');
    limits[0]?.over.abort();
    expect(bodies[0]?.broken).toBeUndefined();
  });

  test('keeps its connection until it was read', async () => {
    const { handler, bodies } = slowBodies();
    for (let n = 0; n <= SOCKETS; n++) void handler.handle(request);
    await turn();
    expect(bodies).toHaveLength(SOCKETS);
    bodies[0]?.emit('close');
    await turn();
    expect(bodies).toHaveLength(SOCKETS + 1);
  });
});

test('a request that was given up while it waited gives no connection back that it did not have', async () => {
  const { handler, bodies } = slowBodies();
  for (let n = 0; n < SOCKETS; n++) void handler.handle(request);
  const impatient = new AbortController();
  const waiting = handler.handle(request, { abortSignal: impatient.signal });
  impatient.abort();
  await expect(waiting).rejects.toThrow('aborted');
  void handler.handle(request);
  await turn();
  expect(bodies).toHaveLength(SOCKETS);
});

test('a handler has a limit for each part of an attempt, and throws when the whole is over', async () => {
  const config = (handler: NodeHttpHandler) => (handler as unknown as { configProvider: Promise<unknown> }).configProvider;
  const limits = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };
  expect(await config(timedRequestHandler())).toMatchObject({ ...limits, socketTimeout: 3_000 });
  expect(await config(timedRequestHandler(9_000))).toMatchObject({ ...limits, socketTimeout: 9_000 });
});
