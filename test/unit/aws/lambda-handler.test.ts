import { Readable } from 'node:stream';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Call, type FunctionWork, lambdaHandler } from '../../../shared/lambda/lambda-handler.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { silentJournal } from '../../../shared/adapters/observability/silent-journal.ts';
import type { EventSink } from '../../../shared/ports/event-sink.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import { idOf } from '../../support/job-rows.ts';

const MINUTE = 60_000;
const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as never;
const environment = {
  ...encodeEnvironment({ tables, workers: { default: { lanes: { default: 'http://localhost/q' } } } }),
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'k',
  AWS_SECRET_ACCESS_KEY: 's',
};

/** How many requests reached the network, which answers each of them with nothing. */
let requests = 0;
beforeEach(() => {
  requests = 0;
  vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async () => {
    requests++;
    const body = Object.assign(Readable.from(['{}']), { complete: true });
    return { response: { statusCode: 200, headers: {}, body } };
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** An invocation of a function that does `work`, with so much time left. */
async function invoke<Result>(work: (call: Call) => Promise<Result>, more: Partial<FunctionWork<unknown, Result>> = {}, leftMs = MINUTE) {
  const handler = lambdaHandler<unknown, Result>({ environment, journal: silentJournal, service: 'sweeper', work, ...more });
  return handler({}, { awsRequestId: 'r', getRemainingTimeInMillis: () => leftMs });
}

/** Tells of a job, so that there is an event to deliver. */
const tell = async ({ journal }: Call): Promise<void> =>
  journal.record({ event: 'enqueued', worker: 'default', job: { id: idOf(1), type: 'work', worker: 'default', attempt: 0 } });

describe('a function', () => {
  test('refuses settings that its check refuses, before it does anything', async () => {
    const check = (): never => {
      throw new Error('too long');
    };
    const work = vi.fn();
    await expect(invoke(work, { check })).rejects.toThrow('too long');
    expect(work).not.toHaveBeenCalled();
  });

  test('warns of settings that it does not know, once for each sandbox, and runs', async () => {
    const record = vi.fn();
    const newer = { ...environment, NIGHTCREW_SETTINGS: '{"ofTomorrow":1,"another":2}', NIGHTCREW_WORKER: 'default' };
    const handler = lambdaHandler<unknown, string>({
      environment: newer,
      journal: { ...silentJournal, record },
      service: 'executor',
      work: async () => Promise.resolve('ran'),
    });
    for (const awsRequestId of ['1', '2']) {
      expect(await handler({}, { awsRequestId, getRemainingTimeInMillis: () => MINUTE })).toBe('ran');
    }
    const unknown = ['ofTomorrow', 'another'].map((reason) => [{ event: 'unknown-settings', reason, worker: 'default' }]);
    expect(record.mock.calls).toEqual(unknown);
    record.mockClear();
    await invoke(async () => Promise.resolve(), { journal: { ...silentJournal, record } });
    expect(record).not.toHaveBeenCalled();
  });

  const remove = (id: string) => ({ op: 'delete', table: 'jobs', key: { id }, condition: { test: 'present', attribute: 'id' } }) as const;
  const removeTwo = async ({ tables: store, batchRefusal }: Call): Promise<string | undefined> => {
    await Promise.all([store.write(remove('a')), store.write(remove('b'))]);
    return batchRefusal();
  };
  const targets: string[] = [];
  const denyBatches = (): void => {
    targets.length = 0;
    vi.spyOn(NodeHttpHandler.prototype, 'handle').mockImplementation(async ({ headers }) => {
      const target = headers['x-amz-target']?.split('.')[1] ?? '';
      targets.push(target);
      const denied = target === 'BatchExecuteStatement';
      const body = Object.assign(Readable.from([denied ? '{"__type":"#AccessDeniedException","message":"not allowed"}' : '{}']), {
        complete: true,
      });
      return { response: { statusCode: denied ? 400 : 200, headers: {}, body } };
    });
  };

  test('whose store refuses batches asks once in all its invocations, tells its journal once, and its report ever after', async () => {
    denyBatches();
    const journal = { ...silentJournal, record: vi.fn() };
    const handler = lambdaHandler<unknown, unknown>({ environment, journal, service: 'executor', work: removeTwo });
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => MINUTE };
    for (let turn = 0; turn < 2; turn++) expect(await handler({}, context)).toBe('The store refuses BatchExecuteStatement: not allowed');
    expect(targets).toEqual(['BatchExecuteStatement', 'DeleteItem', 'DeleteItem', 'DeleteItem', 'DeleteItem']);
    expect(journal.record.mock.calls).toEqual([
      [{ event: 'batches-refused', reason: expect.stringMatching(/not allowed\. Grant dynamodb:/) as unknown }],
    ]);
  });

  test('whose settings switch batches off asks for none', async () => {
    denyBatches();
    const off = { ...environment, ...encodeEnvironment({ tables, workers: {}, settings: { batchWrites: 0 } }) };
    expect(await invoke(removeTwo, { environment: off })).toBeUndefined();
    expect(targets).toEqual(['DeleteItem', 'DeleteItem']);
  });

  test('knows when its invocation ends', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(1_000);
    expect(await invoke(async ({ invocation }) => invocation)).toEqual({ requestId: 'r', deadlineAt: 1_000 + MINUTE });
  });

  test.each([
    { leftMs: 400, made: 0 },
    { leftMs: 600, made: 1 },
  ])('makes no request in the last half second, in which it has to answer ($leftMs ms)', async ({ leftMs, made }) => {
    vi.spyOn(Date, 'now').mockReturnValue(1_000);
    await invoke(async ({ tables: store }) => store.get('jobs', { id: 'a' }), {}, leftMs).catch(() => {});
    expect(requests).toBe(made);
  });

  test('delivers its events and writes its journal out before it ends', async () => {
    const told: string[] = [];
    const sink: EventSink = {
      name: 'mine',
      put: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        told.push('delivered');
        return 0;
      },
    };
    await invoke(tell, { eventSinks: [sink], journal: { ...silentJournal, flush: () => void told.push('flushed') } });
    expect(told).toEqual(['delivered', 'flushed']);
  });

  test('that has delivered its events leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await invoke(async () => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waits for a sink that does not answer until a second before its end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let ended = false;
    const silent: EventSink = { name: 'mine', put: () => new Promise(() => {}) };
    const invoked = invoke(tell, { eventSinks: [silent] }).then(() => (ended = true));
    await vi.advanceTimersByTimeAsync(MINUTE - 1_001);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(true);
    await invoked;
  });
});
