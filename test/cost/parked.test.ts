import { expect, it } from 'vitest';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { defineJob } from '../../shared/core/job-type.ts';
import { defineLimit } from '../../shared/core/limit.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { unitMeter } from '../support/write-units.ts';

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
