import { expect, it } from 'vitest';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { aside, groupStage, step } from '../support/group-stage.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { type UnitMeter, unitMeter } from '../support/write-units.ts';

const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;

it('a job that is parked once costs what docs/guides/limits.md says: 19 write units, with the slot that it is handed', async () => {
  const clock = new SettableClock();
  const meter = unitMeter(createMemoryTables({ clock }));
  let end = (): void => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const type = defineJob('limited', { payload: anyPayload, limits: [defineLimit('limited', { concurrency: 1 })] });
  const rig = new Rig({
    clock,
    tables: meter.tables,
    history: 'off',
    handlers: [type.handle(({ payload }) => (payload['held'] === true ? held : undefined))],
  });
  await rig.client.enqueue(type, { held: true });
  const holder = rig.execute(rig.hints.receive(QUEUE, 10));
  await rig.settle();
  meter.reset();
  await rig.client.enqueue(type, {});
  await rig.drain();
  end();
  await holder;
  await rig.drain();
  expect(rig.journal.count('released')).toBe(1);
  // The holder's own completion is not the parked job's.
  expect(meter.writes() - 1).toBe(19);
});

it('a job that books a start beyond the delay horizon costs 16 write units, besides the lock of an acquirer', async () => {
  const clock = new SettableClock();
  const meter = unitMeter(createMemoryTables({ clock }));
  const type = defineJob('rated', { payload: anyPayload, limits: [defineLimit('rated', { rate: 1, per: 'PT20M' })] });
  const rig = new Rig({ clock, tables: meter.tables, history: 'off', handlers: [type.handle(() => undefined)] });
  await rig.client.enqueue(type, {});
  await rig.drain();
  meter.reset();
  const { id } = await rig.client.enqueue(type, {});
  await rig.drain();
  expect((await rig.client.get(id))?.state).toBe('waiting');
  await clock.advance(16 * 60_000);
  await rig.fire();
  await clock.advance(5 * 60_000);
  await rig.drain();
  expect(rig.journal.count('completed')).toBe(2);
  const lockAndHeartbeat = 3;
  expect(meter.writes() - lockAndHeartbeat).toBe(16);
});

/** What jobs cost from here to their end. */
async function unitsOf(meter: UnitMeter, until: () => Promise<void>): Promise<readonly [writes: number, reads: number]> {
  meter.reset();
  await until();
  return [meter.writes(), meter.reads()];
}

it('a job of a group that a failure holds back costs what docs/guides/exclusive-groups.md says: seven write units and three reads more', async () => {
  const clock = new SettableClock();
  const meter = unitMeter(createMemoryTables({ clock }));
  const { rig } = groupStage({ clock, tables: meter.tables, history: 'off' });
  const [without, within] = [aside, step].map((type) => async () => {
    await clock.advance(1_000);
    await rig.client.enqueue(type, { name: 'one' });
    await rig.drain();
  });
  await within?.();
  const [writes, reads] = await unitsOf(meter, async () => without?.());
  expect(await unitsOf(meter, async () => within?.())).toEqual([writes + 7, reads + 3]);
});

it('one that has to wait costs fourteen more', async () => {
  const clock = new SettableClock();
  const meter = unitMeter(createMemoryTables({ clock }));
  const { rig, enqueue } = groupStage({ clock, tables: meter.tables, history: 'off' });
  await enqueue('one');
  await rig.drain();
  await enqueue('first');
  const [alone] = await unitsOf(meter, rig.drain.bind(rig));
  await rig.client.enqueue(step, { name: 'failing', fails: 1 });
  await rig.drain();
  await enqueue('waiting');
  const [parked] = await unitsOf(meter, rig.drain.bind(rig));
  await clock.advance(60 * 60_000);
  await rig.fire();
  // The one that failed holds the group already, so its start costs one write less.
  const [both] = await unitsOf(meter, rig.drain.bind(rig));
  expect(parked + both - (alone - 1) - alone).toBe(14);
});
