import { describe, expect, it, vi } from 'vitest';
import { iso } from '../../../../shared/job/instant.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { parkedKey, parkedPointerRow, parkedRow } from '../../../../shared/store/parked-rows.ts';
import { slotKey, slotRow } from '../../../../shared/features/limits/store/slot-rows.ts';
import { fillRoom, handOver } from '../../../../shared/features/limits/store/release-parked.ts';
import { jobRow } from '../../../../shared/store/rows.ts';
import { aimAt, faultyTables } from '../../../support/faulty-tables.ts';
import { idOf } from '../../../support/job-rows.ts';
import { Rig } from '../../../support/rig.ts';
import { NOON, readyJob, sampleJob } from '../../../unit/job/sample-job.ts';

const HOUR = 3_600_000;
const limit = { hash: 'h', name: 'l', n: 1 };
const holder = { id: idOf(9), lockOwner: 'run/holder' };
const [first, second] = [idOf(1), idOf(2)];
const slot = slotKey(limit.hash, 0);

async function park(tables: Tables, id: string, at: number): Promise<void> {
  await tables.write({ op: 'put', table: 'timers', row: parkedRow(sampleJob({ id }), limit.hash, at) });
  await tables.write({ op: 'put', table: 'control', row: parkedPointerRow(id, limit.hash, at) });
}

/** A rig in which one claim holds the only slot, and jobs are parked behind it. */
async function full(parked: readonly string[], claim = holder.lockOwner) {
  const clock = new SettableClock(NOON);
  const tables = createMemoryTables({ clock });
  const held = { index: 0, owner: `job/${holder.id}`, until: NOON + HOUR, claim };
  await tables.write({ op: 'put', table: 'control', row: slotRow(limit, held) });
  for (const [index, id] of parked.entries()) await park(tables, id, NOON - 10 + index);
  const faulty = faultyTables(tables);
  const rig = new Rig({ clock, tables: faulty.tables });
  const end = async () => handOver(rig.deps, holder, { limit, index: 0, until: NOON + HOUR });
  const sent = () => rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10).length;
  return { tables, faulty, rig, end, sent, slotNow: async () => tables.get('control', slot) };
}

describe('a slot that a job gives back', () => {
  it('goes to the job that was parked first, until a lost hint of it was sent again', async () => {
    const { rig, tables, end, sent, slotNow } = await full([first, second]);
    await end();
    const { redispatchAfterMs, leaseMarginMs } = rig.deployment.settings;
    const until = iso(NOON + 2 * redispatchAfterMs + leaseMarginMs);
    expect(await slotNow()).toMatchObject({ lockOwner: `job/${first}`, lockExpiresAt: until });
    expect(await slotNow()).not.toHaveProperty('claim');
    expect(tables.rows('jobs').map(({ id }) => id)).toEqual([first]);
    expect(tables.rows('jobs')[0]?.['lockOwner']).toMatch(/^queue\/0\/[\w-]{22}$/);
    expect(tables.rows('timers').map(({ id }) => id)).toEqual([second]);
    expect(sent()).toBe(1);
    expect(rig.journal.entries).toMatchObject([{ event: 'released', reason: 'l' }]);
  });

  it('goes to a parked job although its row is damaged', async () => {
    const { rig, tables, slotNow } = await full([first]);
    await tables.write({ op: 'put', table: 'control', row: { ...slot, lockOwner: 'x', lockExpiresAt: 'never' } });
    expect(await fillRoom(rig.deps, limit, NOON + HOUR)).toBe(1);
    expect(await slotNow()).toMatchObject({ lockOwner: `job/${first}` });
  });

  it('is never free while a job is parked', async () => {
    const { rig, end } = await full([first]);
    const write = vi.spyOn(rig.tables, 'write');
    await end();
    expect(write).not.toHaveBeenCalled();
  });

  it('goes to a job that was parked just as it became free', async () => {
    const { faulty, tables, end } = await full([]);
    faulty.before(aimAt('delete', 'control'), async () => park(tables, first, NOON));
    await end();
    expect(tables.rows('jobs').map(({ id }) => id)).toEqual([first]);
    expect(await tables.get('control', slot)).toMatchObject({ lockOwner: `job/${first}` });
  });

  it('is left alone when another claim took it meanwhile', async () => {
    const { tables, rig, end, sent, slotNow } = await full([first], 'run/other');
    const before = await slotNow();
    await end();
    expect(await slotNow()).toEqual(before);
    expect(tables.rows('timers').map(({ id }) => id)).toEqual([first]);
    expect([sent(), rig.journal.entries.length, tables.rows('jobs').length]).toEqual([0, 0, 0]);
  });

  it('passes over a job that was edited while it was released', async () => {
    const { faulty, tables, end } = await full([first, second]);
    const key = parkedKey(limit.hash, first, NOON - 10);
    faulty.before(aimAt('put', 'jobs'), async () => tables.write({ op: 'update', table: 'timers', key, set: {}, add: { rev: 1 } }));
    await end();
    expect(tables.rows('jobs').map(({ id }) => id)).toEqual([second]);
    expect(tables.rows('timers').map(({ id }) => id)).toEqual([first]);
  });

  it('keeps the job to which it cannot go while another transaction is in the way', async () => {
    const { faulty, tables, end } = await full([first]);
    faulty.next(aimAt('put', 'jobs'), 'conflict');
    await end();
    expect([...tables.rows('timers'), ...tables.rows('jobs')].map(({ id }) => id)).toEqual([first]);
    expect(faulty.pending()).toBe(0);
  });
});

describe('a parked job that lies ready too', () => {
  const twin = jobRow(readyJob({ id: first, rev: 99 }));

  it('is ready and no longer parked; the next one has the slot', async () => {
    const { tables, end } = await full([first, second]);
    await tables.write({ op: 'put', table: 'jobs', row: twin });
    await end();
    expect(await tables.get('jobs', { id: first })).toEqual(twin);
    expect(tables.rows('timers')).toEqual([]);
    expect(await tables.get('control', slot)).toMatchObject({ lockOwner: `job/${second}` });
  });

  it('stays parked when it was edited since', async () => {
    const { faulty, tables, rig } = await full([first]);
    await tables.write({ op: 'put', table: 'jobs', row: twin });
    await rig.clock.advance(HOUR);
    const key = parkedKey(limit.hash, first, NOON - 10);
    const edit = async () => tables.write({ op: 'update', table: 'timers', key, set: {}, add: { rev: 1 } });
    faulty.before((writes) => writes.length === 1 && aimAt('delete', 'timers')(writes), edit);
    expect(await fillRoom(rig.deps, limit, NOON + 2 * HOUR)).toBe(0);
    expect(faulty.pending()).toBe(0);
    expect(await tables.get('timers', key)).toMatchObject({ id: first });
  });

  it('stays where it is when the slot is another claim’s', async () => {
    const { tables, end } = await full([first], 'run/other');
    await tables.write({ op: 'put', table: 'jobs', row: twin });
    await end();
    expect(tables.rows('timers').map(({ id }) => id)).toEqual([first]);
  });
});
