import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { uniqueKeyKey } from '../../shared/store/control-rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload, retry: 'never' });
const other = defineJob('other', { payload: anyPayload });
const handlers = [
  work.handle(({ payload }) => {
    if (payload['fail'] === true) throw new Error('no');
  }),
  other.handle(() => {}),
];

function stage() {
  const rig = new Rig({ handlers, version: '1' });
  return { rig, admin: createAdminOver(rig.deps) };
}

describe('a look-up by unique key', () => {
  it('gives the job that holds the key, wherever it lies, with what find gives', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 }, { key: 'invoice 7', delay: 'PT5H' });
    expect(await admin.findByKey('invoice 7', { type: 'work' })).toEqual({
      held: [{ type: 'work', id, job: await admin.find(id) }],
      types: ['work'],
    });
    await admin.breakpoint(id, { reason: 'look at it first' });
    expect((await admin.findByKey('invoice 7', { type: 'work' })).held).toMatchObject([
      { id, job: { state: 'suspended', payload: '{"n":1}' } },
    ]);
  });

  it('without a type asks for each type that workers reported or that the session has', async () => {
    const { rig, admin } = stage();
    await rig.client.enqueue(work, {});
    await rig.drain();
    const [one, two] = [await rig.client.enqueue(work, {}, { key: 'k' }), await rig.client.enqueue(other, {}, { key: 'k' })];
    const found = await admin.findByKey('k');
    expect(found.types).toEqual(['other', 'work']);
    expect(found.held.map(({ type, id }) => [type, id])).toEqual([
      ['other', two.id],
      ['work', one.id],
    ]);
    const third = defineJob('third', { payload: anyPayload });
    const session = createAdminOver({ ...rig.deps, jobTypes: new Map([['third', third]]) });
    const { id } = await rig.client.enqueue(third, {}, { key: 'new' });
    expect(await session.findByKey('new')).toMatchObject({ held: [{ type: 'third', id }], types: ['other', 'third', 'work'] });
  });

  it('keeps to the tenant that it names, or to jobs without one', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { key: 'k', tenant: 'acme' });
    expect((await admin.findByKey('k', { type: 'work' })).held).toEqual([]);
    expect((await admin.findByKey('k', { type: 'work', tenant: 'globex' })).held).toEqual([]);
    expect((await admin.findByKey('k', { type: 'work', tenant: 'acme' })).held).toMatchObject([{ tenant: 'acme', id }]);
    expect((await admin.forTenant('acme').findByKey('k', { type: 'work' })).held).toMatchObject([{ tenant: 'acme', id }]);
    expect((await admin.forTenant('globex').findByKey('k', { type: 'work' })).held).toEqual([]);
  });

  it('finds nothing once the job is finished or cancelled, or is a dead letter', async () => {
    const { rig, admin } = stage();
    const ended = [{ key: 'finished' }, { key: 'dead' }, { key: 'cancelled', delay: 'PT1H' }] as const;
    for (const options of ended) await rig.client.enqueue(work, { fail: options.key === 'dead' }, options);
    await rig.client.cancelByKey(work, 'cancelled');
    await rig.drain();
    for (const { key } of ended) expect(await admin.findByKey(key, { type: 'work' })).toEqual({ held: [], types: ['work'] });
  });

  it('of a key for a stated time gives its job until then, whether it has finished or not', async () => {
    const { rig, admin } = stage();
    const until = new Date(rig.clock.now() + HOUR);
    const { id } = await rig.client.enqueue(work, {}, { key: { value: 'k', for: 'PT1H' } });
    await rig.drain();
    expect((await admin.findByKey('k', { type: 'work' })).held).toMatchObject([{ id, until, job: { state: 'finished' } }]);
    await rig.clock.advance(HOUR - 1);
    expect((await admin.findByKey('k', { type: 'work' })).held).toHaveLength(1);
    await rig.clock.advance(1);
    expect((await admin.findByKey('k', { type: 'work' })).held).toEqual([]);
  });

  it('names the holder of a key that is in no table', async () => {
    const { rig, admin } = stage();
    const id = rig.client.newId();
    await rig.tables.write({ op: 'put', table: 'control', row: { ...uniqueKeyKey(uniqueKeyHash('work', undefined, 'k')), jobId: id } });
    expect((await admin.findByKey('k', { type: 'work' })).held).toEqual([{ type: 'work', id }]);
  });

  it('takes a row that names no job for a free key, as an enqueue does', async () => {
    const { rig, admin } = stage();
    await rig.tables.write({ op: 'put', table: 'control', row: { ...uniqueKeyKey(uniqueKeyHash('work', undefined, 'k')), jobId: 'x' } });
    expect((await admin.findByKey('k', { type: 'work' })).held).toEqual([]);
  });
});

describe('a look-up by unique key while its job ends', () => {
  /** An admin whose first look at a job comes after `meanwhile`. */
  function lateAdmin(rig: Rig, meanwhile: () => Promise<unknown>) {
    let pending: (() => Promise<unknown>) | undefined = meanwhile;
    const get: Tables['get'] = async (table, ...rest) => {
      const run = table === 'control' ? undefined : pending;
      if (run !== undefined) {
        pending = undefined;
        await run();
      }
      return rig.tables.get(table, ...rest);
    };
    return createAdminOver({ ...rig.deps, tables: { ...rig.tables, get } });
  }

  it('finds nothing if the key is free by then', async () => {
    const { rig } = stage();
    await rig.client.enqueue(work, {}, { key: 'k' });
    expect((await lateAdmin(rig, () => rig.drain()).findByKey('k', { type: 'work' })).held).toEqual([]);
  });

  it('gives the job that has the key by then', async () => {
    const { rig } = stage();
    await rig.client.enqueue(work, {}, { key: 'k' });
    let next = '';
    const late = lateAdmin(rig, async () => {
      await rig.drain();
      next = (await rig.client.enqueue(work, {}, { key: 'k' })).id;
    });
    expect((await late.findByKey('k', { type: 'work' })).held).toMatchObject([{ id: next, job: { state: 'ready' } }]);
  });
});

it.each([
  [['']],
  [[7]],
  [['k'.repeat(257)]],
  [['k', { type: '1x' }]],
  [['k', { type: '' }]],
  [['k', { tenant: '' }]],
  [['k', { tenant: 7 }]],
  [['k', { tenants: 'acme' }]],
] as const)('a look-up with %j is refused', async (args) => {
  const { admin } = stage();
  await expect(admin.findByKey(...(args as unknown as [string]))).rejects.toThrow(InvalidInputError);
});
