import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EnqueueManyOptions } from '../../../shared/client/enqueue-many.ts';
import { InvalidInputError, StoreRefusedError, StoreUnavailableError } from '../../../shared/job/errors.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import type { Row, Write } from '../../../shared/ports/tables.ts';
import { faultyRig } from '../../support/faulty-rig.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
type Payload = Record<string, unknown>;
const payloads = (count: number): readonly Payload[] => Array.from({ length: count }, (_, n) => ({ n }));
const refuse = (): never => {
  throw new InvalidInputError('keyOf', 'k', 'test');
};

type Many = 'enqueueMany' | 'builder';
/** A bulk enqueue, plain or into a batch. */
async function many(rig: Rig, how: Many, given: readonly Payload[], options: EnqueueManyOptions<Payload> = {}) {
  const enqueuer = how === 'builder' ? await rig.client.createBatch() : rig.client;
  return enqueuer.enqueueMany(work, given, options);
}

describe.each<Many>(['enqueueMany', 'builder'])('a bulk enqueue by %s', (how) => {
  it('tells after each five hundred how many are done, and does not mind that this fails', async () => {
    const rig = new Rig();
    const told: unknown[] = [];
    const onProgress = (progress: unknown): void => {
      told.push(progress);
      throw new Error('no terminal');
    };
    const keyOf = (_payload: unknown, n: number) => (n === 0 ? undefined : refuse());
    expect(await many(rig, how, payloads(600), { onProgress, keyOf })).toMatchObject({ enqueued: 1 });
    expect(told).toEqual([500, 600].map((done) => ({ done, total: 600, failed: done - 1 })));
  });

  it('ignores that the promise of a callback rejects', async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    const onProgress = (async () => Promise.reject(new Error('no terminal'))) as () => void;
    expect(await many(new Rig(), how, payloads(1), { onProgress })).toMatchObject({ enqueued: 1 });
    await setImmediate();
    expect(unheard).toEqual([]);
  });

  it('reports what failed and what was there by its index, and counts neither as enqueued', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {}, { key: 'k2' });
    const keyOf = (_payload: unknown, n: number) => (n === 1 ? refuse() : n === 2 ? 'k2' : undefined);
    const report = await many(rig, how, payloads(4), { keyOf });
    expect(report).toMatchObject({ enqueued: 2, duplicates: 1, failed: [{ index: 1 }] });
    expect(report.ids.map((id) => id !== undefined)).toEqual([true, false, true, true]);
  });

  it('gives the index of each payload to the callbacks, also behind the first five hundred', async () => {
    const rig = new Rig();
    const asked = { key: [] as number[], id: [] as number[] };
    const keyOf = (_payload: unknown, n: number) => void asked.key.push(n);
    const idOf = (_payload: unknown, n: number) => (asked.id.push(n), refuse());
    await many(rig, how, payloads(502), { keyOf, idOf });
    const all = payloads(502).map((_, n) => n);
    expect(asked).toEqual({ key: all, id: all });
  });

  it('goes on when the store does not take one of those that are written one by one', async () => {
    const rig = faultyRig();
    const withKey = (key: string) => (writes: readonly Write[]) => writes.some((write) => write.op === 'put' && write.row['key'] === key);
    rig.faults.next(withKey('k0'), 'unavailable');
    const report = await many(rig, how, payloads(2), { keyOf: (_payload: unknown, n: number) => `k${n}` });
    expect(rig.faults.pending()).toBe(0);
    expect(report).toMatchObject({ enqueued: 1, failed: [{ index: 0, error: expect.any(StoreUnavailableError) as unknown }] });
  });

  it('journals for which worker even one job is', async () => {
    const rig = new Rig();
    await many(rig, how, payloads(1));
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'enqueued', worker: 'default', count: 1 }));
  });
});

it('a bulk enqueue into a batch tells what failed in the order of the payloads', async () => {
  const rig = new Rig();
  const batch = await rig.client.createBatch();
  rig.tables.transact = async () => {
    throw new StoreUnavailableError('test', new Error('throttled'));
  };
  // The first is written by itself, after the others.
  const { failed } = await batch.enqueueMany(work, payloads(3), { keyOf: (_payload, n) => (n === 0 ? 'k' : undefined) });
  expect(failed.map(({ index }) => index)).toEqual([0, 1, 2]);
});

describe('a bulk enqueue', () => {
  it('of a single timer puts it among the timers', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(work, payloads(1), { delay: 'PT1H' });
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 1 });
  });

  it('writes nothing again of which the store does not say whether it took it', async () => {
    const rig = new Rig();
    rig.tables.putAll = async () => {
      throw new StoreUnavailableError('test', new Error('throttled'));
    };
    const { enqueued, failed } = await rig.client.enqueueMany(work, payloads(2));
    expect(enqueued).toBe(0);
    expect(failed.map(({ error }) => error)).toEqual([expect.any(StoreUnavailableError), expect.any(StoreUnavailableError)]);
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
  });

  it('asks for each by itself when the store refuses them together, and reports the one that it refuses', async () => {
    const rig = new Rig();
    const isBad = (row: Row): boolean => String(row['payload']).includes('"n":0');
    rig.tables.putAll = async () => {
      throw new StoreRefusedError('test', new Error('too large'));
    };
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (one, ...more) => {
      if (one.op === 'put' && isBad(one.row)) throw new StoreRefusedError('test', new Error('too large'));
      return write(one, ...more);
    };
    expect(await rig.client.enqueueMany(work, payloads(3))).toMatchObject({ enqueued: 2, failed: [{ index: 0 }] });
    expect(await rig.counts()).toMatchObject({ jobs: 2 });
  });

  it('puts the next five hundred while the hints of those before go out, and sends no others until they have', async () => {
    const rig = new Rig();
    const told: string[] = [];
    const putAll = rig.tables.putAll.bind(rig.tables);
    rig.tables.putAll = async (...args) => (told.push('put'), putAll(...args));
    rig.hints.send = async () => {
      told.push('send');
      await rig.settle();
      told.push('sent');
      return [];
    };
    await rig.client.enqueueMany(work, payloads(501));
    expect(told).toEqual(['put', 'send', 'put', 'sent', 'send', 'sent']);
  });

  it('sends the hints of those that were put together before it writes others one by one', async () => {
    const rig = new Rig();
    const told: string[] = [];
    const send = rig.hints.send.bind(rig.hints);
    rig.hints.send = async (hints) => (told.push('send'), send(hints));
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => (told.push('write'), transact(...args));
    await rig.client.enqueueMany(work, payloads(2), { keyOf: (_payload, n) => (n === 0 ? 'k' : undefined) });
    expect(told).toEqual(['send', 'write', 'send']);
  });

  it('fails where a queue does, and leaves no rejection without a listener meanwhile', async () => {
    const rig = new Rig();
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    rig.hints.send = async () => {
      throw new Error('no queue');
    };
    const putAll = rig.tables.putAll.bind(rig.tables);
    rig.tables.putAll = async (...args) => {
      await rig.settle();
      return putAll(...args);
    };
    await expect(rig.client.enqueueMany(work, payloads(501))).rejects.toThrow('no queue');
    expect(unheard).toEqual([]);
  });
});

describe('a bulk enqueue with keys that each of its jobs may take', () => {
  it('leaves the last payload of each key, however long the store takes for another', async () => {
    const rig = faultyRig();
    const keyOf = (payload: Payload) => ({ value: `k${Number(payload['n']) % 2}`, onConflict: 'keep-latest' }) as const;
    const ofThird = (writes: readonly Write[]) => writes.some((write) => write.op === 'put' && write.row['payload'] === '{"n":2}');
    rig.faults.before(ofThird, async () => {
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    });
    const report = await many(rig, 'enqueueMany', payloads(6), { keyOf });
    expect(rig.faults.pending()).toBe(0);
    expect(report.failed).toEqual([]);
    const left = await Promise.all([...new Set(report.ids)].map(async (id) => (await rig.client.get(id ?? ''))?.payload));
    expect(left).toEqual([{ n: 4 }, { n: 5 }]);
  });
});
