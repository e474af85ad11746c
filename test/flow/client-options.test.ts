import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { DefinitionThrewError, IdInUseError, InvalidInputError, PayloadTooLargeError, StoreRefusedError } from '../../shared/job/errors.ts';
import { jobIdFrom } from '../../shared/job/job-id.ts';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { uniqueKeyKey, uniqueKeyRow } from '../../shared/store/control-rows.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { ON_DYNAMO } from '../support/rig-tables.ts';

const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload });

function workRig(run: JobHandler = () => undefined): Rig {
  return new Rig({ handlers: [work.handle(run)] });
}

describe('a unique key', () => {
  it('lets one job in until it is finished, and names it to the others', async () => {
    const rig = workRig();
    const first = await rig.client.enqueue(work, {}, { key: 'k' });
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toEqual({ id: first.id, duplicate: true });
    await rig.drain();
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(false);
    expect((await rig.counts()).jobs).toBe(1);
  });

  it('is unique in type + tenant + key, and an empty tenant is none', async () => {
    const rig = workRig();
    const { id } = await rig.client.enqueue(work, {}, { key: 'k', tenant: '' });
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toEqual({ id, duplicate: true });
    expect((await rig.client.enqueue(work, {}, { key: 'k', tenant: 'acme' })).duplicate).toBe(false);
  });

  it('for a stated time outlasts its job, and ends when the time is over', async () => {
    const rig = workRig();
    const first = await rig.client.enqueue(work, {}, { key: { value: 'k', for: 'PT1H' } });
    await rig.drain();
    expect(await rig.client.enqueue(work, {}, { key: { value: 'k', for: 'PT1H' } })).toEqual({ id: first.id, duplicate: true });
    await rig.clock.advance(HOUR);
    expect((await rig.client.enqueue(work, {}, { key: { value: 'k', for: 'PT1H' } })).duplicate).toBe(false);
  });

  it('whose job lies nowhere heals: the next job takes it', async () => {
    const rig = workRig();
    const gone = rig.client.newId();
    await rig.tables.write({ op: 'put', table: 'control', row: uniqueKeyRow(uniqueKeyHash('work', undefined, 'k'), gone) });
    const { id, duplicate } = await rig.client.enqueue(work, {}, { key: 'k' });
    expect(duplicate).toBe(false);
    expect(await rig.tables.get('control', uniqueKeyKey(uniqueKeyHash('work', undefined, 'k')))).toMatchObject({ jobId: id });
  });

  it('that belongs to another job by the time its first owner completes is left to it', async () => {
    const rig = workRig();
    await rig.client.enqueue(work, {}, { key: 'k' });
    const hash = uniqueKeyHash('work', undefined, 'k');
    const other = rig.client.newId();
    await rig.tables.write({ op: 'put', table: 'control', row: uniqueKeyRow(hash, other) });
    await rig.drain();
    expect((await rig.counts()).jobs).toBe(0);
    expect(await rig.tables.get('control', uniqueKeyKey(hash))).toMatchObject({ jobId: other });
  });

  it('is free again after its job was buried or cancelled', async () => {
    const rig = new Rig({
      handlers: [
        work.handle(() => {
          throw new Error('no');
        }),
      ],
    });
    await rig.client.enqueue(work, {}, { key: 'k', retry: 'never' });
    await rig.drain();
    const second = await rig.client.enqueue(work, {}, { key: 'k', delay: 'PT2H' });
    expect(second.duplicate).toBe(false);
    expect(await rig.client.cancel(second.id)).toBe('cancelled');
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(false);
  });
});

describe('an own id', () => {
  it('makes enqueue idempotent: the same job twice is one job', async () => {
    const rig = workRig();
    const id = jobIdFrom(rig.clock.now() + HOUR, 'order-1/reminder');
    expect(await rig.client.enqueue(work, { a: 1 }, { id })).toEqual({ id, duplicate: false });
    expect(await rig.client.enqueue(work, { a: 1 }, { id })).toEqual({ id, duplicate: true });
    expect((await rig.counts()).timers).toBe(1);
  });

  it('still answers duplicate after the job has finished, while History keeps it', async () => {
    const rig = workRig();
    const id = rig.client.newId();
    await rig.client.enqueue(work, {}, { id });
    await rig.drain();
    expect(await rig.client.enqueue(work, {}, { id })).toEqual({ id, duplicate: true });
  });

  it('of another job, or of a dead letter, is refused', async () => {
    const rig = new Rig({
      handlers: [
        work.handle(() => {
          throw new Error('no');
        }),
      ],
    });
    const id = rig.client.newId();
    await rig.client.enqueue(work, { a: 1 }, { id, retry: 'never' });
    await expect(rig.client.enqueue(work, { a: 2 }, { id })).rejects.toThrow(IdInUseError);
    await rig.drain();
    await expect(rig.client.enqueue(work, { a: 1 }, { id })).rejects.toThrow(/dead/);
  });

  it('must be a UUIDv7 stamped with the due time', async () => {
    const rig = workRig();
    await expect(rig.client.enqueue(work, {}, { id: 'order-1' })).rejects.toThrow(InvalidInputError);
    const id = rig.client.newId({ delay: 'PT1H' });
    await expect(rig.client.enqueue(work, {}, { id, delay: 'PT2H' })).rejects.toThrow(/agree/);
    expect((await rig.counts()).timers).toBe(0);
  });
});

describe('prepare', () => {
  it('gives write items for the own transaction of the caller, and dispatch sends after the commit', async () => {
    const rig = workRig();
    const prepared = rig.client.prepare(work, { a: 1 }, { key: 'k' });
    expect((await rig.counts()).jobs).toBe(0);
    await rig.tables.transact(prepared.items as never, 'order');
    await prepared.dispatch();
    await rig.drain();
    expect(await rig.client.get(prepared.id)).toMatchObject({ state: 'finished' });
  });

  it('without dispatch is found by the sweeper', async () => {
    const rig = workRig();
    const prepared = rig.client.prepare(work, {});
    await rig.tables.transact(prepared.items as never, 'order');
    await rig.clock.advance(10 * 60_000);
    await rig.sweep();
    await rig.drain();
    expect(await rig.client.get(prepared.id)).toMatchObject({ state: 'finished' });
  });

  it('with an own id that exists elsewhere makes the transaction of the caller fail', async () => {
    const rig = workRig();
    const id = rig.client.newId();
    await rig.client.enqueue(work, {}, { id });
    await rig.drain();
    const prepared = rig.client.prepare(work, {}, { id });
    expect((await rig.tables.transact(prepared.items as never, 'order')).applied).toBe(false);
    expect((await rig.counts()).jobs).toBe(0);
  });
});

describe('enqueueMany', () => {
  it.skipIf(ON_DYNAMO)('takes 10,000 jobs, reports progress, and names those that failed', async () => {
    const rig = workRig();
    const payloads = Array.from({ length: 10_000 }, (_, n) => (n === 7 ? { n: Number.NaN } : { n }));
    const progress: number[] = [];
    const report = await rig.client.enqueueMany(work, payloads, { onProgress: ({ done }) => void progress.push(done) });
    expect(report).toMatchObject({ enqueued: 9_999, duplicates: 0 });
    expect(report.failed.map(({ index }) => index)).toEqual([7]);
    expect(progress.at(-1)).toBe(10_000);
    expect((await rig.rows('jobs')).length).toBe(9_999);
    expect(rig.journal.count('enqueued')).toBe(9_999);
  });

  it('with a key per job tells duplicates apart', async () => {
    const rig = workRig();
    const report = await rig.client.enqueueMany(work, [{ n: 1 }, { n: 2 }, { n: 1 }], { keyOf: (payload) => `n${String(payload['n'])}` });
    expect(report).toMatchObject({ enqueued: 2, duplicates: 1, failed: [] });
  });

  it('accepts every job although a batch is refused after others were taken, and sends each hint once', async () => {
    const rig = workRig();
    const putAll = rig.tables.putAll.bind(rig.tables);
    rig.tables.putAll = async (table, rows, window) => {
      await putAll(table, rows.slice(0, 25), window);
      throw new StoreRefusedError('putAll', new Error('ExpiredToken'));
    };
    const payloads = Array.from({ length: 50 }, (_, n) => ({ n }));
    expect(await rig.client.enqueueMany(work, payloads)).toMatchObject({ enqueued: 50, duplicates: 0, failed: [] });
    expect((await rig.counts()).jobs).toBe(50);
    expect(await rig.hints.visible({ worker: 'default', lane: 'default', kind: 'standard' })).toBe(50);
  });

  it('puts 500 jobs while the hints of the 500 before them are sent, and sends those of one chunk after the other', async () => {
    const rig = workRig();
    const steps: string[] = [];
    const putAll = rig.tables.putAll.bind(rig.tables);
    const send = rig.hints.send.bind(rig.hints);
    const nextPut = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    let puts = 0;
    rig.tables.putAll = async (table, rows, window) => {
      steps.push(`put ${(puts += 1)}`);
      nextPut[puts - 1]?.resolve();
      return putAll(table, rows, window);
    };
    let sends = 0;
    rig.hints.send = async (hints) => {
      const chunk = (sends += 1);
      steps.push(`send ${chunk}`);
      // The last chunk has none after it.
      await (chunk === 3 ? undefined : nextPut[chunk]?.promise);
      const left = await send(hints);
      steps.push(`sent ${chunk}`);
      return left;
    };
    const payloads = Array.from({ length: 1_500 }, (_, n) => ({ n }));
    expect(await rig.client.enqueueMany(work, payloads)).toMatchObject({ enqueued: 1_500, failed: [] });
    expect(steps.filter((step) => step.startsWith('s'))).toEqual([1, 2, 3].flatMap((n) => [`send ${n}`, `sent ${n}`]));
    expect(steps.indexOf('put 2')).toBeLessThan(steps.indexOf('sent 1'));
    expect(await rig.hints.visible({ worker: 'default', lane: 'default', kind: 'standard' })).toBe(1_500);
  });

  it('counts a lease from its put, however long the payloads take to validate', async () => {
    const clock = new SettableClock();
    const slow: StandardSchemaV1 = {
      '~standard': { version: 1, vendor: 'test', validate: async (value) => clock.wait(10_000).then(() => ({ value })) },
    };
    const rig = new Rig({ clock });
    const payloads = Array.from({ length: 40 }, () => ({}));
    await rig.until(rig.client.enqueueMany(defineJob('slow', { payload: slow }), payloads), 10_000);
    const rows = await rig.rows('jobs');
    expect(rows).toHaveLength(40);
    const left = rows.map((row) => Date.parse(String(row['lockExpiresAt'])) - clock.now());
    expect(Math.min(...left)).toBeGreaterThan(rig.deployment.settings.firstRedispatchAfterMs - 20_000);
  });
});

describe('bad input is refused before anything is written', () => {
  const cases: [string, () => Parameters<Rig['client']['enqueue']>[2], RegExp][] = [
    ['a NaN date', () => ({ runAt: new Date(Number.NaN) }), /runAt/],
    ['a date more than 100 years ahead', () => ({ runAt: '2200-01-01T00:00:00Z' }), /runAt.*100 years/],
    ['malformed ISO-8601', () => ({ delay: 'P1X' }), /delay/],
    ['a group longer than 256 characters', () => ({ group: 'g'.repeat(257) }), /group/],
    ['a tenant longer than 256 characters', () => ({ tenant: 't'.repeat(257) }), /tenant/],
    ['a key of null', () => ({ key: null as never }), /key/],
    ['a hostile key', () => ({ key: '__proto__' }), /key/],
    ['a malformed retry policy', () => ({ retry: 'R/often' }), /retry/],
    ['a priority that is not a whole number', () => ({ priority: 1.5 }), /priority/],
  ];
  it.each(cases)('%s', async (_name, options, message) => {
    const rig = workRig();
    const error = await rig.client.enqueue(work, {}, options()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(String(error)).toMatch(message);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, control: 0 });
  });

  it('a payload over 256 KB, and the error says how large it was', async () => {
    const rig = workRig();
    const error = await rig.client.enqueue(work, { text: 'x'.repeat(262_144) }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PayloadTooLargeError);
    expect(String(error)).toContain('262155 bytes');
  });

  it('a definition whose function throws', async () => {
    const rig = workRig();
    const broken = defineJob('broken', {
      payload: anyPayload,
      group: () => {
        throw new TypeError('oops');
      },
    });
    const error = await rig.client.enqueue(broken, {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DefinitionThrewError);
    expect((error as Error).cause).toBeInstanceOf(TypeError);
  });

  it('a worker that the deployment does not have', async () => {
    const rig = workRig();
    const elsewhere = defineJob('elsewhere', { payload: anyPayload, worker: 'gpu' });
    await expect(rig.client.enqueue(elsewhere, {})).rejects.toThrow(/This deployment has: default/);
  });
});
