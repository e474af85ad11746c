import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { createMemoryPayloads } from '../../../../shared/adapters/memory/payloads.ts';
import { PayloadTooLargeError } from '../../../../shared/job/errors.ts';
import {
  claimCheck,
  complete,
  continueWith,
  defineJob,
  fail,
  followUp,
  type HandledJob,
  PayloadCodecError,
} from '../../../../shared/index.ts';
import type { PayloadRef } from '../../../../shared/ports/payload-store.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';
import { sealingCodec } from '../../../support/sealing-codec.ts';

const LARGE = { text: 'x'.repeat(300_000) };
const SMALL = { text: 'x' };
const JOB = { payload: anyPayload, retry: 'never' } as const;

function stage(options: Partial<RigOptions> = {}, more: readonly HandledJob[] = []) {
  const payloads = createMemoryPayloads({ now: () => rig.clock.now() });
  const codec = claimCheck({ store: payloads });
  const load = defineJob('load', { ...JOB, codec });
  const ran: unknown[] = [];
  const handlers = [load.handle(({ payload, state }) => void ran.push((payload as { text: string }).text.length, state)), ...more];
  const rig: Rig = new Rig({ handlers, ...options });
  const jobs = [load, ...more.map(({ type }) => type)];
  const jobTypes = new Map(jobs.map((type) => [type.name, type]));
  return { payloads, codec, load, ran, rig, admin: createAdminOver({ ...rig.deps, jobTypes }), blind: createAdminOver(rig.deps) };
}

const keysOf = ({ kept }: ReturnType<typeof createMemoryPayloads>): readonly string[] => kept().map(({ key }) => key);

/** The key that a row names. */
const claimIn = (row: { readonly [name: string]: unknown } | undefined): string =>
  (JSON.parse(String(row?.['payload'])) as { readonly key: string }).key;

describe('a large payload', () => {
  it('is in the store before its row, under the id of its job, and the row has the claim', async () => {
    const { rig, load, payloads, ran } = stage();
    const { id } = await rig.client.enqueue(load, LARGE);
    const [row] = await rig.rows('jobs');
    expect(row).toMatchObject({ id, codec: 'claim-check' });
    expect(String(row?.['payload']).length).toBeLessThan(300);
    expect(keysOf(payloads)).toEqual([claimIn(row)]);
    expect(claimIn(row).startsWith(`${id}/`)).toBe(true);
    await rig.drain();
    expect(ran).toEqual([300_000, undefined]);
  });

  it('is given up when its job has ended', async () => {
    const { rig, load, payloads } = stage();
    await rig.client.enqueue(load, LARGE);
    await rig.drain();
    expect([keysOf(payloads), await rig.rows('jobs')]).toEqual([[], []]);
  });

  it('stays while History refers to it', async () => {
    const { rig, load, payloads, admin } = stage({ history: 'full' });
    const { id } = await rig.client.enqueue(load, LARGE);
    await rig.drain();
    expect(keysOf(payloads)).toHaveLength(1);
    expect((await admin.find(id))?.lifted?.payload).toBe(JSON.stringify(LARGE));
  });

  it('leaves a job complete where the store does not answer, stays there, and says so', async () => {
    const { rig, load, payloads } = stage();
    await rig.client.enqueue(load, LARGE);
    let asked = 0;
    const away = { ...payloads, delete: async () => Promise.reject(new Error(`away ${++asked}`)) };
    const type = defineJob('load', { ...JOB, codec: claimCheck({ store: away }) });
    const warned: string[] = [];
    const log: typeof rig.deps.log = (ref) => ({ ...rig.deps.log(ref), warn: (text) => void warned.push(text) });
    await rig.drain({ ...rig.deps, log, handlers: new Map([['load', type.handle(() => undefined)]]) });
    expect([await rig.rows('jobs'), keysOf(payloads).length, asked]).toEqual([[], 1, 1]);
    expect(warned).toEqual(['Its payload is left in the payload store.']);
  });

  it('stays with a dead letter, and is there for its redrive', async () => {
    let broken = true;
    const failing = (codec: ReturnType<typeof claimCheck>) =>
      defineJob('failing', { ...JOB, codec }).handle(({ payload }) => (broken ? fail('no') : void seen.push(payload)));
    const seen: unknown[] = [];
    const { rig, payloads, codec, admin } = stage();
    const handled = failing(codec);
    const deps = { ...rig.deps, handlers: new Map([['failing', handled]]) };
    const { id } = await rig.client.enqueue(handled.type, LARGE);
    await rig.drain(deps);
    expect([(await rig.rows('deadLetters')).length, keysOf(payloads).length]).toEqual([1, 1]);
    broken = false;
    await admin.redrive(id);
    await rig.drain(deps);
    expect([seen, keysOf(payloads)]).toEqual([[LARGE], []]);
  });

  it('is encoded before it is stored', async () => {
    const seal = sealingCodec('seal');
    const { rig, payloads, ran } = stage();
    const type = defineJob('load', { ...JOB, codec: claimCheck({ store: payloads, codec: seal }) });
    const handlers = new Map([['load', type.handle(({ payload }) => void ran.push(payload))]]);
    await rig.client.enqueue(type, LARGE);
    await rig.client.enqueue(type, SMALL);
    const rows = await rig.rows('jobs');
    expect(new Set(rows.map(({ codec }) => codec))).toEqual(new Set(['claim-check-seal', 'seal']));
    expect(await payloads.get(JSON.parse(String(rows.find(({ codec }) => codec !== 'seal')?.['payload'])))).not.toContain('xxx');
    await rig.drain({ ...rig.deps, handlers });
    expect(ran).toEqual(expect.arrayContaining([LARGE, SMALL]));
  });

  it('is not enqueued where the store does not answer, and the error quotes nothing', async () => {
    const { rig, payloads } = stage();
    const away = { ...payloads, put: async () => Promise.reject(Object.assign(new Error('secret'), { name: 'SlowDown' })) };
    const type = defineJob('load', { ...JOB, codec: claimCheck({ store: away }) });
    const refused = await rig.client.enqueue(type, LARGE).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PayloadCodecError);
    expect(refused).toMatchObject({
      message: 'payload: codec "claim-check" could not encode a payload of job type "load": it threw SlowDown.',
    });
    expect(await rig.rows('jobs')).toEqual([]);
  });

  it('that the store lost makes a dead letter at once; one that it cannot give now is tried again', async () => {
    const { rig, payloads } = stage();
    let away = true;
    const flaky = { ...payloads, get: async (ref: PayloadRef) => (away ? Promise.reject(new Error('away')) : payloads.get(ref)) };
    const type = defineJob('load', { ...JOB, retry: 'R3/PT1S', codec: claimCheck({ store: flaky }) });
    const deps = { ...rig.deps, handlers: new Map([['load', type.handle(() => undefined)]]) };
    await rig.client.enqueue(type, LARGE);
    await rig.drain(deps);
    expect((await rig.rows('jobs'))[0]).toMatchObject({ failures: 1, errorName: 'PayloadCodecError' });
    away = false;
    for (const key of keysOf(payloads)) await payloads.delete(key);
    payloads.expire();
    await rig.clock.advance(2_000);
    await rig.drain(deps);
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({
      errorMessage: expect.stringContaining('is not in the payload store any more'),
    });
  });

  it('is not run if the store gives another text', async () => {
    const { rig, payloads } = stage();
    const type = defineJob('load', { ...JOB, codec: claimCheck({ store: { ...payloads, get: async () => '{"text":"other"}' } }) });
    await rig.client.enqueue(type, LARGE);
    await rig.drain({ ...rig.deps, handlers: new Map([['load', type.handle(() => undefined)]]) });
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ errorMessage: expect.stringContaining('another text than was stored') });
  });

  it('may have 6 MB, in bulk and in batches and as a follow-up too; more is refused', async () => {
    const parent = defineJob('parent', { payload: anyPayload });
    const late: { load?: HandledJob['type'] } = {};
    const more = parent.handle(() => complete({ enqueue: [followUp(late.load as never, LARGE)] }));
    const { rig, load, ran, payloads } = stage({}, [more]);
    late.load = load;
    const most = { text: 'x'.repeat(6 * 1024 * 1024 - '{"text":""}'.length) };
    await rig.client.enqueueMany(load, [most, SMALL, LARGE]);
    const report = await rig.client.enqueueMany(load, [{ text: `${most.text}x` }]);
    expect(report.failed[0]?.error).toBeInstanceOf(PayloadTooLargeError);
    const batch = await rig.client.createBatch();
    await batch.enqueueMany(load, [LARGE, SMALL]);
    await batch.seal();
    await rig.client.enqueue(parent, {});
    await rig.drain();
    const lengths = ran.filter((one) => typeof one === 'number').toSorted((a, b) => a - b);
    expect(lengths).toEqual([1, 1, 300_000, 300_000, 300_000, most.text.length]);
    expect(keysOf(payloads)).toEqual([]);
  });
});

describe('large payloads of a batch', () => {
  it('are stored side by side, and each job keeps its place in the list', async () => {
    const { rig, load, payloads } = stage();
    const ids = [0, 1, 2].map(() => rig.client.newId());
    const batch = await rig.client.createBatch();
    const odd = { text: 'x'.repeat(7 * 1024 * 1024) };
    const asked: number[] = [];
    const idOf = (_: unknown, index: number): string | undefined => {
      asked.push(index);
      return ids[index];
    };
    const report = await batch.enqueueMany(load, [LARGE, odd, { text: 'y'.repeat(20_000) }], { idOf });
    expect(report).toMatchObject({ enqueued: 2, ids: [ids[0], undefined, ids[2]], failed: [{ index: 1 }] });
    expect(asked).toEqual([0, 1, 2]);
    expect(keysOf(payloads).map((key) => key.split('/')[0])).toEqual(expect.arrayContaining([ids[0], ids[2]]));
  });
});

describe('what is not large', () => {
  it('is stored as it would be without a claim check', async () => {
    const { rig, load, payloads, codec } = stage();
    await rig.client.enqueue(load, SMALL);
    await rig.client.enqueue(load, { text: 'x'.repeat(16 * 1024 - '{"text":""}'.length) });
    expect((await rig.rows('jobs')).map((row) => ['codec' in row, String(row['payload'])[0]])).toEqual([
      [false, '{'],
      [false, '{'],
    ]);
    await rig.client.enqueue(defineJob('bound', { ...JOB, codec: claimCheck({ store: payloads, above: 0 }) }), {});
    expect(keysOf(payloads)).toHaveLength(1);
    expect(codec.name).toBe('claim-check');
  });

  it('is what prepare takes, and a callback of a batch, up to what a row takes', async () => {
    const { rig, load, payloads } = stage();
    expect(rig.client.prepare(load, { text: 'x'.repeat(200_000) }).items).toHaveLength(1);
    expect(() => rig.client.prepare(load, LARGE)).toThrow('Use enqueue()');
    await rig.client.createBatch({ onCompleted: followUp(load, { text: 'x'.repeat(200_000) }) });
    await expect(rig.client.createBatch({ onCompleted: followUp(load, LARGE) })).rejects.toBeInstanceOf(PayloadTooLargeError);
    expect(keysOf(payloads)).toEqual([]);
  });

  it('is the state of a handler, beside a claim', async () => {
    const states: unknown[] = [];
    const run = ({ state }: { readonly state: unknown }) => {
      states.push(state);
      return state === undefined ? continueWith({ at: 1 }) : undefined;
    };
    const { rig, codec } = stage();
    const long = defineJob('long', { ...JOB, codec }).handle(run);
    await rig.client.enqueue(long.type, LARGE);
    await rig.client.enqueue(long.type, SMALL);
    await rig.drain({ ...rig.deps, handlers: new Map([['long', long]]) });
    expect(states).toEqual([undefined, undefined, { at: 1 }, { at: 1 }]);
  });
});

describe('a claim belongs to one job', () => {
  it.each(['replace', 'keep-latest', 'debounce'] as const)(
    'so %s stores the payload again for the job that gets it',
    async (onConflict) => {
      const { rig, load, payloads, ran } = stage();
      const key = onConflict === 'debounce' ? { value: 'k', onConflict, debounce: { wait: 'PT5S' } } : { value: 'k', onConflict };
      const delay = onConflict === 'debounce' ? {} : { delay: 'PT1H' };
      const { id } = await rig.client.enqueue(load, LARGE, { ...delay, key: key as never });
      expect(await rig.client.enqueue(load, { text: 'y'.repeat(20_000) }, { ...delay, key: key as never })).toMatchObject({
        id,
        replaced: true,
      });
      const row = [...(await rig.rows('jobs')), ...(await rig.rows('timers'))][0];
      expect(claimIn(row).startsWith(`${id}/`)).toBe(true);
      expect(keysOf(payloads)).toContain(claimIn(row));
      expect(await rig.client.enqueue(load, SMALL, { ...delay, key: key as never })).toMatchObject({ id, replaced: true });
      const small = [...(await rig.rows('jobs')), ...(await rig.rows('timers'))][0];
      expect([small?.['codec'], small?.['payload']]).toEqual([undefined, JSON.stringify(SMALL)]);
      expect(ran).toEqual([]);
    },
  );

  it('and a payload that was stored more than an hour ago gets no row any more', async () => {
    const { rig, payloads } = stage();
    let lateMs = 3_600_001;
    const slow = {
      ...payloads,
      async put(job: string, text: string) {
        await rig.clock.advance(lateMs);
        return payloads.put(job, text);
      },
    };
    const type = defineJob('load', { ...JOB, codec: claimCheck({ store: slow }) });
    await expect(rig.client.enqueue(type, LARGE)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await rig.rows('jobs')).toEqual([]);
    lateMs = 3_600_000;
    expect(await rig.client.enqueue(type, LARGE)).toMatchObject({ duplicate: false });
  });

  it('and an edit, a patch, a move and a change of tenant store it anew, with the state', async () => {
    const { rig, load, payloads, admin, blind, codec } = stage();
    const { id } = await rig.client.enqueue(load, LARGE, { delay: 'PT1H' });
    const stored = async () => (await rig.rows('timers'))[0];
    expect(await blind.editPayload(id, SMALL)).toBe('encoded');
    const first = claimIn(await stored());
    expect(await admin.patchPayload(id, { more: 1 })).toMatchObject({});
    expect(claimIn(await stored())).not.toBe(first);
    expect(await admin.find(id)).toMatchObject({ lifted: { payload: JSON.stringify({ ...LARGE, more: 1 }) } });
    expect(await admin.editPayload(id, SMALL)).toBe('edited');
    expect((await stored())?.['codec']).toBeUndefined();
    expect(await admin.editPayload(id, { text: 'z'.repeat(100_000) })).toBe('edited');
    expect(await admin.changeTenant(id, 'acme')).toBeTruthy();
    expect(claimIn(await stored()).startsWith(`${id}/`)).toBe(true);
    expect(codec.perJob).toBe(true);
    expect(keysOf(payloads).length).toBeGreaterThan(2);
  });
});
