import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createAdminOver } from '../../operate/admin.ts';
import {
  complete,
  continueWith,
  defineCodec,
  defineJob,
  defineLimit,
  defineSchedule,
  followUp,
  type HandledJob,
  NonRetryableError,
} from '../../shared/index.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';
import { sealingCodec } from '../support/sealing-codec.ts';

const SECRET = 'DE89 3704';

function stage(options: Partial<RigOptions> = {}, more: readonly HandledJob[] = []) {
  const codec = sealingCodec('seal');
  const pay = defineJob('pay', { payload: z.object({ iban: z.string() }), codec, retry: 'R3/PT1S' });
  const ran: unknown[] = [];
  const handlers = [pay.handle(({ payload, state }) => void ran.push(payload, state)), ...more];
  const rig = new Rig({ handlers, ...options });
  return { codec, pay, ran, rig, admin: createAdminOver(rig.deps) };
}

/** All that the tables hold, as text. */
async function everything(rig: Rig): Promise<string> {
  const tables = ['jobs', 'timers', 'suspended', 'deadLetters', 'history', 'control'] as const;
  return JSON.stringify(await Promise.all(tables.map(async (table) => rig.rows(table))));
}

describe('a payload with a codec', () => {
  it('is stored as the codec gave it, with the codec, and handled as it was enqueued', async () => {
    const { rig, pay, ran, codec } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: SECRET }, { tenant: 'acme' });
    const [row] = await rig.rows('jobs');
    expect(row).toMatchObject({ id, codec: 'seal' });
    expect(await everything(rig)).not.toContain(SECRET);
    await rig.drain();
    expect(ran).toEqual([{ iban: SECRET }, undefined]);
    expect(codec.asked).toEqual([
      { verb: 'encode', context: { type: 'pay', tenant: 'acme' } },
      { verb: 'decode', context: { type: 'pay', tenant: 'acme' } },
    ]);
  });

  it('leaves the rows of other types as they are', async () => {
    const plain = defineJob('plain', { payload: anyPayload });
    const { rig } = stage();
    await rig.client.enqueue(plain, { a: 1 });
    expect((await rig.rows('jobs'))[0]).toMatchObject({ payload: '{"a":1}' });
    expect((await rig.rows('jobs'))[0]).not.toHaveProperty('codec');
  });

  it('is encoded in bulk, in batches, with their callbacks, and as a follow-up', async () => {
    const { rig, pay, ran, codec } = stage();
    const parent = defineJob('parent', { payload: anyPayload });
    const family = new Rig({
      tables: rig.tables,
      clock: rig.clock,
      handlers: [...rig.deps.handlers.values(), parent.handle(() => complete({ enqueue: [followUp(pay, { iban: `${SECRET} 4` })] }))],
    });
    await family.client.enqueueMany(pay, [{ iban: `${SECRET} 1` }]);
    await family.client.enqueueBatch(pay, [{ iban: `${SECRET} 2` }], { onCompleted: followUp(pay, { iban: `${SECRET} 3` }) });
    await family.client.enqueue(parent, {});
    expect(await everything(family)).not.toContain(SECRET);
    await family.drain();
    expect(await everything(family)).not.toContain(SECRET);
    expect(
      ran
        .filter((one) => one !== undefined)
        .map((one) => (one as { iban: string }).iban)
        .toSorted(),
    ).toEqual([1, 2, 3, 4].map((n) => `${SECRET} ${n}`));
    expect(codec.asked.filter(({ verb }) => verb === 'encode')).toHaveLength(4);
  });

  it('is validated before it is encoded, and an encoder that fails stops the enqueue', async () => {
    const { rig, pay, codec } = stage();
    await expect(rig.client.enqueue(pay, { iban: 7 } as never)).rejects.toThrow('iban');
    expect(codec.asked).toEqual([]);
    codec.failures.push(new Error(SECRET));
    await expect(rig.client.enqueue(pay, { iban: SECRET })).rejects.toThrow(
      'payload: codec "seal" could not encode a payload of job type "pay": it threw Error.',
    );
    expect(await rig.rows('jobs')).toEqual([]);
  });

  it('is refused by prepare, which waits for nothing, unless its codec answers at once', async () => {
    const { rig, pay } = stage();
    expect(() => rig.client.prepare(pay, { iban: SECRET })).toThrow('Codec seal encodes asynchronously');
    const atOnce = defineJob('pay', {
      payload: anyPayload,
      codec: defineCodec({ name: 'flat', encode: (json) => `<${json}>`, decode: (text) => text }),
    });
    expect(rig.client.prepare(atOnce, { a: 1 }).items).toMatchObject([{ row: { payload: '<{"a":1}>', codec: 'flat' } }]);
  });

  it('encloses the state that its handler leaves', async () => {
    const codec = sealingCodec('seal');
    const long = defineJob('long', { payload: anyPayload, codec });
    const states: unknown[] = [];
    const { rig } = stage({}, [
      long.handle(({ state }) => {
        states.push(state);
        return state === undefined ? continueWith({ at: SECRET }) : undefined;
      }),
    ]);
    await rig.client.enqueue(long, { iban: SECRET });
    await rig.deliver();
    expect((await rig.rows('jobs'))[0]).toMatchObject({ codec: 'seal', continuations: 1 });
    expect(await everything(rig)).not.toContain(SECRET);
    await rig.drain();
    expect(states).toEqual([undefined, { at: SECRET }]);
  });

  it('makes its job a dead letter if the state is too large once it is encoded, because its handler has run', async () => {
    const codec = defineCodec({ name: 'twice', encode: (json) => json + json, decode: (text) => text.slice(0, text.length / 2) });
    const long = defineJob('long', { payload: anyPayload, codec, retry: 'R3/PT1S' });
    const ran: unknown[] = [];
    const handler = long.handle(({ state }) => {
      ran.push(state);
      return continueWith(state === undefined ? 'x' : 'x'.repeat(40_000));
    });
    const rig = new Rig({ handlers: [handler] });
    const { id } = await rig.client.enqueue(long, {});
    await rig.drain();
    await rig.clock.advance(60_000);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual([undefined, 'x']);
    expect(await rig.client.get(id)).toMatchObject({
      state: 'dead',
      reason: 'non-retryable',
      error: { name: 'InvalidVerdictError', message: expect.stringMatching(/^state: 80004 bytes .*correct what it returns/) as string },
    });
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ state: '"x""x"' });
  });

  it('is lifted after it was decoded, and stored lifted with the state that belongs to it', async () => {
    const codec = sealingCodec('seal');
    const before = defineJob('long', { payload: anyPayload, codec });
    const now = defineJob('long', { payload: anyPayload, codec, version: 2, upcast: { 1: ({ a }: { a: string }) => ({ b: a }) } });
    const ran: unknown[] = [];
    const { rig } = stage({}, [
      now.handle(({ payload, state }) => {
        ran.push(payload);
        return state === undefined ? continueWith(1) : undefined;
      }),
    ]);
    await rig.client.enqueue(before, { a: SECRET });
    await rig.deliver();
    expect((await rig.rows('jobs'))[0]).toMatchObject({ codec: 'seal', schemaVersion: 2 });
    expect(await everything(rig)).not.toContain(SECRET);
    await rig.drain();
    expect(ran).toEqual([{ b: SECRET }, { b: SECRET }]);
  });

  it('stays encoded in dead letters and in History at level full, and client.get names its codec', async () => {
    const failing = defineJob('failing', { payload: anyPayload, codec: sealingCodec('seal'), retry: 'never', history: 'full' });
    const { rig, admin, pay } = stage({ history: 'full' }, [failing.handle(() => raise(new Error('no')))]);
    const dead = await rig.client.enqueue(failing, { iban: SECRET });
    const done = await rig.client.enqueue(pay, { iban: SECRET });
    expect(await rig.client.get(done.id)).toMatchObject({ codec: 'seal' });
    expect(await rig.client.get(done.id)).not.toHaveProperty('payload');
    await rig.drain();
    expect(await everything(rig)).not.toContain(SECRET);
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ id: dead.id, codec: 'seal' });
    expect((await rig.client.history(done.id)).finished).toMatchObject({ codec: 'seal', outcome: 'completed' });
    expect(await admin.redrive(dead.id)).toBe('redriven');
    expect((await rig.rows('jobs'))[0]).toMatchObject({ id: dead.id, codec: 'seal' });
  });

  it('leaves no mark in History at other levels', async () => {
    const { rig, pay } = stage();
    await rig.client.enqueue(pay, { iban: SECRET });
    const { id } = await rig.client.enqueue(pay, { iban: SECRET });
    await rig.client.cancel(id);
    await rig.drain();
    const rows = await rig.rows('history');
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).not.toHaveProperty('codec');
  });

  it('counts as the same payload for a second enqueue with the same id', async () => {
    const { rig, pay } = stage();
    const id = rig.client.newId();
    await rig.client.enqueue(pay, { iban: SECRET }, { id });
    expect(await rig.client.enqueue(pay, { iban: SECRET }, { id })).toEqual({ id, duplicate: true });
    const plain = defineJob('plain', { payload: anyPayload });
    await expect(rig.client.enqueue(plain, {}, { id })).rejects.toThrow('belongs to a job');
  });

  it('takes the place of that of another job, and runs under its id', async () => {
    const { rig, pay, ran } = stage();
    const key = { value: 'one', onConflict: 'replace' } as const;
    const first = await rig.client.enqueue(pay, { iban: 'old' }, { key, delay: 'PT1H' });
    expect(await rig.client.enqueue(pay, { iban: SECRET }, { key })).toMatchObject({ id: first.id, replaced: true });
    await rig.drain();
    expect(ran).toEqual([{ iban: SECRET }, undefined]);
  });

  it('is not put into a schedule, which is stored as it is', () => {
    const { pay } = stage();
    expect(() => defineSchedule('nightly', { job: pay, payload: { iban: SECRET }, every: 'P1D' })).toThrow(
      'payload: a payload of job type "pay", which codec "seal" encodes, is not valid. A schedule is stored as it is.',
    );
    const empty = defineJob('empty', { payload: anyPayload, codec: sealingCodec('seal') });
    expect(defineSchedule('nightly', { job: empty, payload: {}, every: 'P1D' })).toMatchObject({ payload: '{}' });
  });
});

describe('a payload that cannot be decoded', () => {
  it('is retried by the policy, and no error says what is in it', async () => {
    const { rig, pay, ran, codec } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: SECRET });
    codec.failures.push(new Error(`bad ${SECRET}`));
    await rig.deliver();
    expect(await rig.client.get(id)).toMatchObject({
      state: 'ready',
      failures: 1,
      error: { name: 'PayloadCodecError', message: 'payload: codec "seal" could not decode a payload of job type "pay": it threw Error.' },
    });
    expect(await everything(rig)).not.toContain(SECRET);
    await rig.clock.advance(60_000);
    await rig.drain();
    expect(ran).toEqual([{ iban: SECRET }, undefined]);
  });

  it('is a dead letter at once if its codec says so', async () => {
    const { rig, pay, codec } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: SECRET });
    codec.failures.push(new NonRetryableError('The key of this tenant was destroyed.'));
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({
      state: 'dead',
      attempts: 1,
      error: { message: 'The key of this tenant was destroyed.' },
    });
  });

  it('or does not fit its schema is a dead letter that tells only where', async () => {
    const codec = sealingCodec('seal');
    const loose = defineJob('pay', { payload: anyPayload, codec });
    const strict = defineJob('pay', {
      payload: z.object({ iban: z.number({ error: ({ input }) => `got ${String(input)}` }) }),
      codec,
    });
    const rig = new Rig({ handlers: [strict.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(loose, { iban: SECRET });
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({
      reason: 'non-retryable',
      error: { message: 'payload: it was encoded by seal, and decoded it is not valid. The schema refuses it at iban.' },
    });
    expect(await everything(rig)).not.toContain(SECRET);
  });

  it('does not run past the limit whose key is in it', async () => {
    const codec = sealingCodec('seal');
    const perIban = defineLimit<{ iban: string }>('per-iban', { concurrency: 1 }, { key: ({ iban }) => iban });
    const limited = defineJob('limited', { payload: z.object({ iban: z.string() }), codec, limits: [perIban] });
    const ran: unknown[] = [];
    const { rig } = stage({}, [limited.handle(({ payload }) => void ran.push(payload))]);
    const { id } = await rig.client.enqueue(limited, { iban: SECRET });
    codec.failures.push(new Error('the key service is away'));
    await rig.deliver();
    expect(ran).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ failures: 1, error: { name: 'PayloadCodecError' } });
    await rig.clock.advance(60_000);
    await rig.drain();
    expect(ran).toEqual([{ iban: SECRET }]);
  });

  it('of a follow-up is no reason to bury its parent, which is retried', async () => {
    const parent = defineJob('parent', { payload: anyPayload });
    const { rig, pay, codec, ran } = stage();
    const family = new Rig({
      tables: rig.tables,
      clock: rig.clock,
      handlers: [...rig.deps.handlers.values(), parent.handle(() => complete({ enqueue: [followUp(pay, { iban: SECRET })] }))],
    });
    const { id } = await family.client.enqueue(parent, {});
    codec.failures.push(new Error('away'));
    await family.deliver();
    expect(await family.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
    await family.clock.advance(60_000);
    await family.drain();
    expect(ran).toEqual([{ iban: SECRET }, undefined]);
  });
});

function raise(error: Error): never {
  throw error;
}
