import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { type AnyJobType, continueWith, defineJob } from '../../shared/index.ts';
import { idKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { sealingCodec } from '../support/sealing-codec.ts';

const codec = sealingCodec('seal');
const newer = sealingCodec('newer');
const pay = defineJob('pay', { payload: z.object({ iban: z.string(), fails: z.optional(z.boolean()) }), codec, retry: 'never' });
const paid = defineJob('pay.again', { payload: z.object({ iban: z.string() }), codec, retry: 'never' });
const clear = defineJob('clear', { payload: anyPayload });
const rotated = defineJob('pay', { payload: anyPayload, codec: newer, readCodecs: [codec], retry: 'never' });
const opened = defineJob('pay', { payload: anyPayload, readCodecs: [codec], retry: 'never' });
const forgetful = defineJob('pay', { payload: anyPayload, retry: 'never' });

interface Stage {
  readonly rig: Rig;
  readonly ran: unknown[];
  /** Has the job types. */
  readonly admin: Admin;
  /** Has none. */
  readonly blind: Admin;
  readonly adminOf: (...types: readonly AnyJobType[]) => Admin;
}

function stage(): Stage {
  const ran: unknown[] = [];
  const rig = new Rig({
    handlers: [
      pay.handle(({ payload, job }) => {
        ran.push([job.type, payload]);
        if (payload.fails === true) throw new Error('no');
      }),
      paid.handle(({ payload, job }) => void ran.push([job.type, payload])),
      clear.handle(({ payload, job }) => void ran.push([job.type, payload])),
    ],
  });
  const adminOf: Stage['adminOf'] = (...types) =>
    createAdminOver({ ...rig.deps, jobTypes: new Map(types.map((type) => [type.name, type])) });
  return { rig, ran, adminOf, admin: adminOf(pay, paid, clear), blind: createAdminOver(rig.deps) };
}

const rowOf = async ({ tables }: Rig, id: string) => (await tables.get('jobs', idKey(id))) ?? (await tables.get('deadLetters', idKey(id)));

async function dead(): Promise<Stage & { readonly id: string }> {
  const made = stage();
  const { id } = await made.rig.client.enqueue(pay, { iban: 'DE1', fails: true }, { tenant: 'acme' });
  await made.rig.drain();
  made.ran.length = 0;
  return { ...made, id };
}

describe('find', () => {
  it('shows what is stored and its codec, and to a session with the codec what a handler gets', async () => {
    const { rig, admin, blind, adminOf } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    const stored = (await rowOf(rig, id))?.['payload'];
    expect(await blind.find(id)).toMatchObject({ payload: stored, codec: 'seal' });
    expect(await admin.find(id)).toMatchObject({ payload: stored, codec: 'seal', lifted: { schemaVersion: 1, payload: '{"iban":"DE1"}' } });
    expect(await adminOf(forgetful).find(id)).not.toHaveProperty('lifted');
  });

  it('says why it cannot be decoded now, without what is in it', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    codec.failures.push(new Error('DE1'));
    expect((await admin.find(id))?.lifted).toEqual({
      schemaVersion: 1,
      problem: 'payload: codec "seal" could not decode a payload of job type "pay": it threw Error.',
    });
  });
});

describe('an edit of an encoded payload', () => {
  it('is encoded for the tenant of its job', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' }, { tenant: 'acme' });
    expect(await admin.editPayload(id, { iban: 'DE2' })).toBe('edited');
    expect(JSON.stringify(await rowOf(rig, id))).not.toContain('DE2');
    await rig.drain();
    expect(ran).toEqual([['pay', { iban: 'DE2' }]]);
  });

  it('is refused in a session that could only store it in the clear', async () => {
    const { rig, blind, adminOf } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    const row = await rowOf(rig, id);
    for (const admin of [blind, adminOf(forgetful)]) expect(await admin.editPayload(id, { iban: 'DE2' })).toBe('encoded');
    expect(await rowOf(rig, id)).toEqual(row);
  });

  it('is encoded by the codec that its type has now, or stored as JSON if that has none any more', async () => {
    const { rig, adminOf } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    expect(await adminOf(rotated).editPayload(id, { iban: 'DE2' })).toBe('edited');
    expect(await rowOf(rig, id)).toMatchObject({ codec: 'newer' });
    expect(await adminOf(opened).editPayload(id, { iban: 'DE3' })).toBe('encoded');
    const again = await rig.client.enqueue(pay, { iban: 'DE1' });
    expect(await adminOf(opened).editPayload(again.id, { iban: 'DE3' })).toBe('edited');
    const row = await rowOf(rig, again.id);
    expect(row).toMatchObject({ payload: '{"iban":"DE3"}' });
    expect(row).not.toHaveProperty('codec');
  });

  it('encodes the payload of a job that was stored before its type had a codec', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(forgetful, { iban: 'DE1' });
    expect(await rowOf(rig, id)).not.toHaveProperty('codec');
    expect(await admin.editPayload(id, { iban: 'DE2' })).toBe('edited');
    expect(await rowOf(rig, id)).toMatchObject({ codec: 'seal' });
    await rig.drain();
    expect(ran).toEqual([['pay', { iban: 'DE2' }]]);
  });
});

describe('a redrive with another payload', () => {
  it('is encoded in the same transaction', async () => {
    const { rig, admin, ran, id } = await dead();
    expect(await admin.redrive(id, { payload: { iban: 'DE2' } })).toBe('redriven');
    expect(JSON.stringify(await rowOf(rig, id))).not.toContain('DE2');
    await rig.drain();
    expect(ran).toEqual([['pay', { iban: 'DE2' }]]);
  });

  it('is refused in a session without the codec, which redrives it as it is', async () => {
    const { rig, blind, ran, id } = await dead();
    expect(await blind.redrive(id, { payload: { iban: 'DE2' } })).toBe('encoded');
    expect(await blind.find(id)).toMatchObject({ state: 'dead' });
    expect(await blind.redrive(id)).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual([['pay', { iban: 'DE1', fails: true }]]);
  });

  it('stores JSON, and no mark of the codec, where its type has none any more', async () => {
    const { rig, adminOf, id } = await dead();
    expect(await adminOf(opened).redrive(id, { payload: { iban: 'DE2' } })).toBe('redriven');
    expect(await rowOf(rig, id)).not.toHaveProperty('codec');
  });
});

describe('a patch of an encoded payload', () => {
  it('is applied to what was decoded, and encoded again', async () => {
    const { rig, admin, ran, id } = await dead();
    expect(await admin.patchPayload(id, { fails: null }, { redrive: true })).toBe('redriven');
    expect(await rowOf(rig, id)).toMatchObject({ codec: 'seal' });
    await rig.drain();
    expect(ran).toEqual([['pay', { iban: 'DE1' }]]);
  });

  it('that changes nothing writes nothing, although another text would be stored', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    const row = await rowOf(rig, id);
    expect(await admin.patchPayload(id, { iban: 'DE1' })).toBe('patched');
    expect(await rowOf(rig, id)).toEqual(row);
  });

  it('is refused in a session without the codec, and its dry run shows nothing of it', async () => {
    const { rig, admin, blind, id } = await dead();
    const row = await rowOf(rig, id);
    expect(await blind.patchPayload(id, { fails: null })).toBe('encoded');
    expect(await rowOf(rig, id)).toEqual(row);
    const sample = async (by: Admin) =>
      (await by.bulk({ verb: 'patch', patch: { fails: null } }, { type: 'pay' }, { dryRun: true })).sample;
    expect(await sample(blind)).toEqual({ id, problem: expect.stringContaining('no job type with the codec') });
    expect(await sample(admin)).toEqual({ id, before: '{"iban":"DE1","fails":true}', after: '{"iban":"DE1"}' });
  });
});

describe('another tenant', () => {
  it('gets the payload encoded for it, with the state that a run left', async () => {
    const long = defineJob('long', { payload: anyPayload, codec });
    const states: unknown[] = [];
    const rig = new Rig({
      handlers: [
        long.handle(({ payload, state, job }) => {
          states.push([job.tenant, payload, state]);
          return state === undefined ? continueWith({ at: 1 }) : undefined;
        }),
      ],
    });
    const { id } = await rig.client.enqueue(long, { iban: 'DE1' }, { tenant: 'acme' });
    await rig.deliver();
    const admin = createAdminOver({ ...rig.deps, jobTypes: new Map([[long.name, long]]) });
    expect(await admin.changeTenant(id, 'other')).toBe('changed');
    expect(await admin.changeTenant(id, null)).toBe('changed');
    await rig.drain();
    expect(states).toEqual([
      ['acme', { iban: 'DE1' }, undefined],
      [undefined, { iban: 'DE1' }, { at: 1 }],
    ]);
  });

  it('gets it from Suspended as well', async () => {
    const { rig, admin, ran } = stage();
    await admin.suspend({ tenant: 'acme' }, { reason: 'test' });
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' }, { tenant: 'acme' });
    await rig.drain();
    expect(await admin.changeTenant(id, 'other')).toBe('changed');
    await rig.drain();
    expect(ran).toEqual([['pay', { iban: 'DE1' }]]);
  });

  it('does not get it from a session without the codec', async () => {
    const { rig, blind } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' }, { tenant: 'acme' });
    const row = await rowOf(rig, id);
    expect(await blind.changeTenant(id, 'other')).toBe('encoded');
    expect(await rowOf(rig, id)).toEqual(row);
  });
});

describe('a move', () => {
  it('to another type encodes the payload for that', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    expect(await admin.move(id, { type: 'pay.again' })).toBe('moved');
    await rig.drain();
    expect(ran).toEqual([['pay.again', { iban: 'DE1' }]]);
  });

  it('does not bring it to a type without a codec, nor from a session without one of the types', async () => {
    const { rig, admin, blind, adminOf } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    const row = await rowOf(rig, id);
    expect(await admin.move(id, { type: 'clear' })).toBe('encoded');
    expect(await blind.move(id, { type: 'pay.again' })).toBe('encoded');
    expect(await adminOf(pay).move(id, { type: 'pay.again' })).toBe('encoded');
    expect(await adminOf(paid).move(id, { type: 'pay.again' })).toBe('encoded');
    expect(await rowOf(rig, id)).toEqual(row);
  });

  it('to a type that reads both codecs keeps the one that it has', async () => {
    const both = defineJob('both', { payload: anyPayload, codec: newer, readCodecs: [codec] });
    const { rig, adminOf } = stage();
    const { id } = await rig.client.enqueue(pay, { iban: 'DE1' });
    expect(await adminOf(pay, both).move(id, { type: 'both' })).toBe('moved');
    expect(await rowOf(rig, id)).toMatchObject({ codec: 'seal', type: 'both' });
  });
});
