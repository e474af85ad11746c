import { describe, expect, test } from 'vitest';
import { createClient, type JobClient } from '../../shared/client/job-client.ts';
import { type CancelAnswer, defineJob } from '../../shared/index.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { unitMeter } from '../support/write-units.ts';

const work = defineJob('work', { payload: anyPayload });
const unknown = defineJob('unknown', { payload: anyPayload });

/** A client of the rig, and what its calls to the tables cost: reads, and rows written. */
function counted({ tables, deps }: Rig): { readonly client: JobClient; readonly cost: { reads: number; rows: number } } {
  const cost = { reads: 0, rows: 0 };
  const watched: Tables = {
    get: async (...given) => (cost.reads++, tables.get(...given)),
    write: async (...given) => (cost.rows++, tables.write(...given)),
    transact: async (writes, ...given) => ((cost.rows += writes.length), tables.transact(writes, ...given)),
    putAll: async (...given) => tables.putAll(...given),
    query: async (...given) => (cost.reads++, tables.query(...given)),
    scan: async (...given) => (cost.reads++, tables.scan(...given)),
  };
  return { client: createClient({ ...deps, tables: watched, beforeCreate: [] }, () => []), cost };
}

async function costOf(rig: Rig, cancel: (client: JobClient) => Promise<CancelAnswer>): Promise<readonly [CancelAnswer, number, number]> {
  const { client, cost } = counted(rig);
  const answer = await cancel(client);
  return [answer, cost.reads, cost.rows];
}

describe('what a cancel costs: reads, and rows written', () => {
  test('of a ready job: one read, the job and its entry in History', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    expect(await costOf(rig, (client) => client.cancel(id))).toEqual(['cancelled', 1, 2]);
  });

  test('of one with a key: the key besides; by that key two reads more', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {}, { key: 'k' });
    expect(await costOf(rig, async (client) => (await client.cancelByKey(work, 'k')).outcome)).toEqual(['cancelled', 3, 3]);
  });

  test('of a timer: three reads', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'P1D' });
    expect(await costOf(rig, (client) => client.cancel(id))).toEqual(['cancelled', 3, 2]);
  });

  test('of a suspended job: six reads', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(unknown, {});
    await rig.drain();
    expect(await costOf(rig, (client) => client.cancel(id))).toEqual(['cancelled', 6, 2]);
  });

  test('of a job that runs: one read and one write, and nothing written when it was asked before', async () => {
    const rig: Rig = new Rig({ handlers: [work.handle(({ signal }) => rig.clock.wait(60_000, signal))] });
    const { id } = await rig.client.enqueue(work, {});
    const delivered = rig.deliver();
    await rig.settle();
    expect(await costOf(rig, (client) => client.cancel(id))).toEqual(['cancel-requested', 1, 1]);
    expect(await costOf(rig, (client) => client.cancel(id))).toEqual(['cancel-requested', 1, 0]);
    await rig.until(delivered, 1_000);
  });

  test('of a job that runs, at the end of its run: no read, and the write that met the request', async () => {
    const [usual, asked] = await Promise.all(
      [false, true].map(async (asks) => {
        const clock = new SettableClock();
        const meter = unitMeter(createMemoryTables({ clock }));
        const rig: Rig = new Rig({ clock, tables: meter.tables, handlers: [work.handle(() => rig.clock.wait(3_000))] });
        const { id } = await rig.client.enqueue(work, {});
        const delivered = rig.deliver();
        await rig.settle();
        if (asks) expect(await rig.client.cancel(id, { reason: 'changed my mind' })).toBe('cancel-requested');
        meter.reset();
        await rig.until(delivered, 1_000);
        const cost = { writes: meter.writes(), reads: meter.reads() };
        expect(await rig.client.get(id)).toMatchObject(asks ? { outcome: 'cancelled', cancelReason: 'changed my mind' } : {});
        return cost;
      }),
    );
    expect([usual, asked]).toEqual([
      { writes: 2, reads: 0 },
      { writes: 3, reads: 0 },
    ]);
  });

  test('without History only the job is written', async () => {
    const rig = new Rig({ history: 'off' });
    const { id } = await rig.client.enqueue(work, {});
    expect(await costOf(rig, (client) => client.cancel(id))).toEqual(['cancelled', 1, 1]);
  });
});
