import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { patch as patchVerb, type PatchOptions } from '../../operate/verbs/patch.ts';
import { iso } from '../../shared/job/instant.ts';
import { defineJob, defineLimit } from '../../shared/index.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { idKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const limit = defineLimit<Record<string, unknown>>('per-customer', { concurrency: 1 }, { key: ({ customer }) => String(customer) });
const work = defineJob('work', { payload: anyPayload, retry: 'never' });
const other = defineJob('other', { payload: z.unknown() });
const limited = defineJob('limited', { payload: anyPayload, limits: [limit] });
const strict = defineJob('strict', {
  payload: z.object({ order: z.object({ count: z.number() }), note: z.optional(z.string()) }),
  retry: 'never',
  version: 2,
  upcast: {
    1: ({ count }: { count?: unknown }) => {
      if (count === undefined) throw new Error('no count');
      return { order: { count } };
    },
  },
});

interface Stage {
  readonly rig: Rig;
  readonly ran: unknown[];
  readonly admin: Admin;
  readonly at: (id: string) => Promise<Readonly<Record<string, unknown>> | undefined>;
}

function stage(): Stage {
  const ran: unknown[] = [];
  const rig: Rig = new Rig({
    handlers: [
      work.handle(({ payload }) => {
        ran.push(payload);
        if (payload['fails'] === true) throw new Error('no');
      }),
      other.handle(({ payload }) => void ran.push(payload)),
      strict.handle(({ payload }) => void ran.push(payload)),
      limited.handle(async ({ payload }) => {
        ran.push(payload);
        if (payload['slow'] === true) await rig.clock.wait(MINUTE);
      }),
    ],
  });
  const at = async (id: string) => {
    const rows = await Promise.all((['jobs', 'timers', 'suspended', 'deadLetters'] as const).map(async (table) => rig.rows(table)));
    return rows.flat().find((row) => row['id'] === id);
  };
  return { rig, ran, at, admin: createAdminOver({ ...rig.deps, jobTypes: new Map([[strict.name, strict]]) }) };
}

async function deadOne(payload: object = { fails: true, keep: 1 }, options: object = {}): Promise<Stage & { readonly id: string }> {
  const made = stage();
  const { id } = await made.rig.client.enqueue(work, payload as Record<string, unknown>, options);
  await made.rig.drain();
  made.ran.length = 0;
  return { ...made, id };
}

describe('a payload that is patched', () => {
  it('has the fields of the patch, and all others as they were, wherever the job lies', async () => {
    const { rig, admin, ran, id } = await deadOne();
    const ready = await rig.client.enqueue(work, { keep: 1, nested: { a: 1, b: 2 } });
    const waiting = await rig.client.enqueue(work, { keep: 1 }, { delay: 'PT1H' });
    const stopped = await rig.client.enqueue(work, { keep: 1 });
    await admin.breakpoint(stopped.id, { reason: 'test' });
    for (const job of [{ id }, ready, waiting, stopped]) {
      expect(await admin.patchPayload(job.id, { fails: null, nested: { a: null, c: 3 } }, { actor: 'anna' })).toBe('patched');
    }
    expect(await admin.redrive(id)).toBe('redriven');
    await admin.resumeJob(stopped.id);
    await admin.runNow(waiting.id);
    await rig.drain();
    expect(ran).toHaveLength(4);
    expect(ran).toEqual(
      expect.arrayContaining([
        { keep: 1, nested: { b: 2, c: 3 } },
        { keep: 1, nested: { c: 3 } },
      ]),
    );
  });

  it('leaves an entry in the audit that does not tell what it holds', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, { mail: 'a@example.org' }, { tenant: 'acme' });
    await admin.patchPayload(id, { mail: 'b@example.org', 'c@example.org': 1 }, { actor: 'anna', reason: 'typo' });
    const entries = await admin.audit();
    expect(entries).toMatchObject([
      { verb: 'patchPayload', jobId: id, type: 'work', tenant: 'acme', actor: 'anna', reason: 'typo', detail: '2 fields' },
    ]);
    expect(JSON.stringify(entries)).not.toContain('example.org');
  });

  it('is not written if it has those fields already', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(work, { a: { b: 1 } });
    expect(await admin.patchPayload(id, { a: { b: 1 }, c: null })).toBe('patched');
    expect([await at(id), await admin.audit()]).toMatchObject([{ rev: 1 }, []]);
  });

  it('of a parked job is evaluated for its limits again', async () => {
    const { rig, admin, ran, at } = stage();
    await rig.client.enqueue(limited, { customer: 'x', slow: true });
    const running = rig.deliver();
    await rig.settle();
    // Received together, either of them could take the slot.
    const { id } = await rig.client.enqueue(limited, { customer: 'x', n: 2 });
    await rig.deliver();
    expect((await admin.find(id))?.state).toBe('parked');
    expect(await admin.patchPayload(id, { customer: 'y' })).toBe('patched');
    expect((await at(id))?.['lockOwner']).toMatch(/^queue\//);
    await rig.deliver();
    expect(ran).toContainEqual({ customer: 'y', n: 2 });
    await rig.until(running);
  });

  it('is left alone where the job runs, has ended, is no object or cannot be read', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(limited, { customer: 'x', slow: true });
    const running = rig.deliver();
    await rig.settle();
    expect(await admin.patchPayload(id, { a: 1 })).toBe('running');
    await rig.until(running);
    expect(await admin.patchPayload(id, { a: 1 })).toBe('finished');
    const list = await rig.client.enqueue(other, [1]);
    expect(await admin.patchPayload(list.id, { a: 1 })).toBe('no-object');
    const row = (await rig.tables.get('jobs', idKey(list.id))) ?? {};
    await quarantine(rig.tables, 'jobs', row, { error: new Error('test'), now: rig.clock.now() });
    expect(await admin.patchPayload(list.id, { a: 1 })).toBe('unreadable');
    expect(await admin.patchPayload(list.id, { a: 1 }, { redrive: true })).toBe('unreadable');
    expect(await admin.patchPayload('019b76da-a800-7a00-887f-bf7479cb86de', { a: 1 })).toBe('not-found');
    expect(await admin.audit()).toEqual([]);
  });

  it('is refused before anything is read with what is no patch', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await expect(admin.patchPayload(id, [] as never)).rejects.toThrow(/^patch: an array/);
    await expect(admin.patchPayload(id, {})).rejects.toThrow(/^patch: \{\}/);
    await expect(admin.patchPayload(id, { a: 1 }, { redrive: 'yes' as never })).rejects.toThrow(/^redrive: "yes"/);
    await expect(admin.patchPayload(id, { a: 1 }, { rev: 1 } as never)).rejects.toThrow(/^options: "rev"/);
    await expect(admin.patchPayload('nonsense', { a: 1 })).rejects.toThrow('Use a lower-case UUIDv7');
    expect(await admin.audit()).toEqual([]);
  });

  it('keeps what another tenant has', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 }, { tenant: 'acme' });
    expect(await admin.forTenant('other').patchPayload(id, { n: 2 })).toBe('not-found');
    expect(await admin.forTenant('other').patchPayload(id, { n: 2 }, { redrive: true })).toBe('not-found');
    expect(await admin.forTenant('acme').patchPayload(id, { n: 2 })).toBe('patched');
    expect(await at(id)).toMatchObject({ payload: '{"n":2}' });
  });
});

describe('a patch of a type that the session knows', () => {
  it('must leave a payload that fits the schema and the limits, or nothing is written', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(strict, { order: { count: 1 } });
    await expect(admin.patchPayload(id, { order: { count: 'two' } })).rejects.toThrow('order.count');
    await expect(admin.patchPayload(id, { order: null })).rejects.toThrow('order');
    expect([await at(id), await admin.audit()]).toMatchObject([{ rev: 1 }, []]);
    expect(await admin.patchPayload(id, { order: { count: 2 } })).toBe('patched');
    const large = await rig.client.enqueue(work, { text: 'x'.repeat(262_000) });
    await expect(admin.patchPayload(large.id, { more: 'y'.repeat(200) })).rejects.toThrow('262144');
  });

  it('is applied to an older payload as the present code reads it, which then has the present version', async () => {
    const { rig, admin, ran, at } = stage();
    const { id } = await rig.client.enqueue(strict, { order: { count: 1 } });
    const old = async (payload: string) =>
      rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { payload, schemaVersion: 1 } });
    await old('{"count":7}');
    expect(await admin.patchPayload(id, { note: 'late' })).toBe('patched');
    expect(await at(id)).toMatchObject({ payload: '{"order":{"count":7},"note":"late"}', schemaVersion: 2 });
    await old('{}');
    await expect(admin.patchPayload(id, { note: 'late' })).rejects.toThrow('from version 1 to 2 threw: no count');
    await old('{"count":8}');
    await admin.patchPayload(id, { note: 'late' });
    await rig.drain();
    expect(ran).toEqual([{ order: { count: 8 }, note: 'late' }]);
  });

  it('leaves a newer payload alone, which this code cannot know', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(strict, { order: { count: 1 } });
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { schemaVersion: 3 } });
    expect(await admin.patchPayload(id, { note: 'late' })).toBe('newer-version');
    expect(await at(id)).toMatchObject({ payload: '{"order":{"count":1}}', schemaVersion: 3 });
  });

  it('keeps the stored version where the session does not know the type', async () => {
    const { rig, at } = stage();
    const { id } = await rig.client.enqueue(strict, { order: { count: 1 } });
    expect(await createAdminOver(rig.deps).patchPayload(id, { note: 1 })).toBe('patched');
    expect(await at(id)).toMatchObject({ payload: '{"order":{"count":1},"note":1}', schemaVersion: 2 });
  });
});

describe('a dead letter that is patched and redriven', () => {
  it('runs with the patched payload and fresh counters, with one entry in the audit', async () => {
    const { rig, admin, ran, id } = await deadOne();
    expect(await admin.patchPayload(id, { fails: null }, { redrive: true, actor: 'anna', reason: 'fixed' })).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual([{ keep: 1 }]);
    expect(await admin.audit()).toMatchObject([{ verb: 'patchPayload', actor: 'anna', reason: 'fixed', detail: '1 field, redriven' }]);
  });

  it('has the actor of the admin in the audit if the call names none', async () => {
    const { admin, id } = await deadOne();
    const options = { redrive: true, actor: undefined, reason: undefined } as unknown as PatchOptions;
    expect(await admin.patchPayload(id, { fails: null }, options)).toBe('redriven');
    const [entry] = await admin.audit();
    expect(entry).toMatchObject({ verb: 'patchPayload', actor: 'operator' });
    expect(entry).not.toHaveProperty('reason');
  });

  it('is redriven even if the patch changes nothing', async () => {
    const { rig, admin, ran, id } = await deadOne();
    expect(await admin.patchPayload(id, { keep: 1 }, { redrive: true })).toBe('redriven');
    await rig.drain();
    expect(ran).toHaveLength(1);
  });

  it('stays one if another job holds its key, or its payload is no object', async () => {
    const { rig, admin, at, id } = await deadOne(undefined, { key: 'k' });
    await rig.client.enqueue(work, {}, { key: 'k', delay: 'PT1H' });
    expect(await admin.patchPayload(id, { fails: null }, { redrive: true })).toBe('key-taken');
    expect(await at(id)).toMatchObject({ payload: '{"fails":true,"keep":1}' });
    await rig.tables.write({ op: 'update', table: 'deadLetters', key: { id }, set: { payload: '[]' } });
    expect(await admin.patchPayload(id, { fails: null }, { redrive: true })).toBe('no-object');
    expect(await admin.audit()).toEqual([]);
  });

  it('is only patched where it is no dead letter', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(work, { a: 1 }, { delay: 'PT1H' });
    expect(await admin.patchPayload(id, { a: 2 }, { redrive: true })).toBe('patched');
    expect(await at(id)).toMatchObject({ payload: '{"a":2}', rev: 2 });
  });
});

it('an unknown option of a patch is refused, and nothing is written', async () => {
  const { rig, admin, at } = stage();
  const { id } = await rig.client.enqueue(work, { n: 1 });
  await expect(admin.patchPayload(id, { n: 2 }, { redriv: true } as never)).rejects.toThrow('Did you mean redrive?');
  expect(await at(id)).toMatchObject({ payload: '{"n":1}' });
});

it('a canary of a patch is a job that is due within its time', () => {
  const terms = { now: 0, withinMs: MINUTE, action: { verb: 'patch', patch: { n: 2 } } } as const;
  const due = (ms: number) => patchVerb.canary?.canTell?.({ dueAt: iso(ms) }, terms);
  expect([due(0), due(MINUTE), due(MINUTE + 1)]).toEqual([true, true, false]);
});
