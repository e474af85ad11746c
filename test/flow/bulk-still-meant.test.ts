import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { fail } from '../../shared/job/verdict.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const pay = defineJob('pay', { payload: anyPayload, retry: 'never' });

/** Jobs of which the first three wait for the second step of a bulk action: `meanwhile` happens to them between the two. */
async function between(meanwhile: (rig: Rig, ids: readonly string[]) => Promise<void>, options: object = {}) {
  const rig = new Rig({ handlers: [pay.handle(({ payload }) => fail(String(payload['why'])))] });
  const why = 'card declined';
  await rig.client.enqueueMany(
    pay,
    Array.from({ length: 60 }, () => ({ why })),
    options,
  );
  await rig.drain();
  await rig.clock.advance(1_000);
  let pending: readonly string[] | undefined;
  const tables: Rig['tables'] = {
    get: async (...given) => rig.tables.get(...given),
    write: async (...given) => rig.tables.write(...given),
    putAll: async (...given) => rig.tables.putAll(...given),
    query: async (...given) => rig.tables.query(...given),
    scan: async (...given) => rig.tables.scan(...given),
    async transact(writes, token) {
      const met = writes.find((one) => one.op === 'put' && String(one.row['pk']).startsWith('bulk#'));
      if (met?.op === 'put' && String(met.row['ids']).split(' ').length < 50 && pending === undefined) {
        pending = String(met.row['ids']).split(' ').slice(0, 3);
        await meanwhile(rig, pending);
      }
      return rig.tables.transact(writes, token);
    },
  };
  return { rig, admin: createAdminOver({ ...rig.deps, tables }), ids: () => pending ?? [] };
}

describe('a bulk action', () => {
  it('deletes no dead letter that was redriven meanwhile and died of something else', async () => {
    const { rig, admin, ids } = await between(async (mine, victims) => {
      for (const id of victims) await createAdminOver(mine.deps).redrive(id, { payload: { why: 'a new and different fault' } });
      await mine.clock.advance(5_000);
      await mine.drain();
    });
    const [group] = (await admin.list({ state: 'dead' })).jobs;
    const report = await admin.bulk({ verb: 'delete' }, { fingerprint: group?.fingerprint ?? '' });
    expect(report).toMatchObject({ matched: 60, done: 57, leftAlone: { changed: 3 }, failed: 0 });
    expect((await rig.rows('deadLetters')).map(({ id }) => String(id)).toSorted()).toEqual(ids().toSorted());
  });

  it('deletes none that died of the same again, although the clock of its executor is behind', async () => {
    const { rig, admin } = await between(async ({ tables }, victims) => {
      for (const id of victims) {
        await tables.write({
          op: 'update',
          table: 'deadLetters',
          key: { id },
          set: { failedAt: '2025-12-31T23:59:59.000Z' },
          add: { rev: 3 },
        });
      }
    });
    expect(await admin.bulk({ verb: 'delete' }, { type: 'pay' })).toMatchObject({ done: 57, leftAlone: { changed: 3 } });
    expect(await rig.rows('deadLetters')).toHaveLength(3);
  });

  it.each([
    ['another tenant', { state: 'waiting', tenant: 'a' }, { changed: 3 }],
    ['another time', { state: 'waiting', from: 0, to: Date.UTC(2026, 0, 10) }, { changed: 3 }],
    ['another state', { state: 'waiting', type: 'pay' }, { suspended: 3 }],
  ])('leaves jobs alone that got %s since they matched', async (what, filter, leftAlone) => {
    const { rig, admin } = await between(
      async ({ deps }, victims) => {
        const other = createAdminOver(deps);
        for (const id of victims) {
          if (what === 'another tenant') await other.changeTenant(id, 'b');
          else if (what === 'another time') await other.setDueDate(id, { delay: 'P30D' });
          else await other.breakpoint(id, { reason: 'look first' });
        }
      },
      { delay: 'P1D', tenant: 'a' },
    );
    expect(await admin.bulk({ verb: 'cancel' }, filter as never)).toMatchObject({ matched: 60, done: 57, leftAlone });
    expect([...(await rig.rows('timers')), ...(await rig.rows('suspended'))]).toHaveLength(3);
  });

  it('reads no job once more for that', async () => {
    const rig = new Rig({ handlers: [pay.handle(() => fail('no'))] });
    await rig.client.enqueueMany(
      pay,
      Array.from({ length: 20 }, () => ({})),
    );
    await rig.drain();
    await rig.clock.advance(1_000);
    let reads = 0;
    const tables = { ...rig.tables, get: async (...given: Parameters<Rig['tables']['get']>) => (reads++, rig.tables.get(...given)) };
    expect((await createAdminOver({ ...rig.deps, tables }).bulk({ verb: 'delete' }, { type: 'pay' })).done).toBe(20);
    expect(reads).toBe(20);
  });
});
