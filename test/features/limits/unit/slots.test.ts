import { describe, expect, it } from 'vitest';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { slotKey } from '../../../../shared/features/limits/store/slot-rows.ts';
import { extendSlot, freeSlot, readSlots, takeSlot, writeRateSlot } from '../../../../shared/features/limits/store/slots.ts';
import { iso } from '../../../../shared/job/instant.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { idOf } from '../../../support/job-rows.ts';

const MINUTE = 60_000;
const limit = { hash: 'h', name: 'l', n: 1 };
const id = idOf(1);
const mine = { id, lockOwner: 'run/mine' };
const later = { id, lockOwner: 'run/later' };
const slot = { limit, index: 0, until: MINUTE };
const newTables = () => createMemoryTables({ clock: new SettableClock() });

describe('a slot that a later claim of the same job took', () => {
  async function taken() {
    const tables = newTables();
    expect(await takeSlot(tables, later, slot, { now: 0 })).toBe(true);
    return { tables, before: await readSlots(tables, limit.hash) };
  }

  it('is not given back by the earlier one', async () => {
    const { tables, before } = await taken();
    await freeSlot(tables, mine, slot);
    expect(await readSlots(tables, limit.hash)).toEqual(before);
  });

  it('is not lengthened by the earlier one', async () => {
    const { tables, before } = await taken();
    expect(await extendSlot(tables, mine, slot, 5 * MINUTE)).toBe(false);
    expect(await readSlots(tables, limit.hash)).toEqual(before);
  });
});

describe('a slot that is held', () => {
  it('is not shortened by an attempt to lengthen it that comes late', async () => {
    const tables = newTables();
    expect(await takeSlot(tables, mine, slot, { now: 0 })).toBe(true);
    expect(await extendSlot(tables, mine, slot, 5 * MINUTE)).toBe(true);
    expect(await extendSlot(tables, mine, slot, 3 * MINUTE)).toBe(true);
    expect(await readSlots(tables, limit.hash)).toMatchObject([{ until: 5 * MINUTE }]);
  });
});

describe('a slot that is lengthened', () => {
  it('ends no sooner than its job was told before', async () => {
    const tables = newTables();
    expect(await takeSlot(tables, mine, slot, { now: 0 })).toBe(true);
    expect(await extendSlot(tables, mine, { ...slot, until: 5 * MINUTE }, 3 * MINUTE)).toBe(true);
    expect(await readSlots(tables, limit.hash)).toMatchObject([{ until: 5 * MINUTE }]);
  });

  it('is removed by TTL a day after its new end', async () => {
    const tables = newTables();
    expect(await takeSlot(tables, mine, slot, { now: 0 })).toBe(true);
    expect(await extendSlot(tables, mine, slot, 5 * MINUTE)).toBe(true);
    expect(await tables.get('control', slotKey(limit.hash, 0))).toMatchObject({ expiresAt: 5 * 60 + 86_400 });
  });
});

describe("a slot that was seen and is the own job's", () => {
  it.each([
    ['was claimed', { claim: later.lockOwner }],
    ['was lengthened', { until: 2 * MINUTE }],
    ['went to another job', { owner: 'job/another' }],
  ])('is not taken when it %s since', async (_, change) => {
    const tables = newTables();
    expect(await takeSlot(tables, later, slot, { now: 0 })).toBe(true);
    const [now] = await readSlots(tables, limit.hash);
    if (now === undefined) throw new Error('no slot');
    const { claim: _claim, ...unclaimed } = now;
    const own = { ...('claim' in change ? unclaimed : now), ...('claim' in change ? {} : change) };
    expect(await takeSlot(tables, mine, slot, { own, now: 0 })).toBe(false);
    expect(await readSlots(tables, limit.hash)).toEqual([now]);
  });
});

describe('a slot whose row is damaged', () => {
  const damaged: readonly Row[] = [{}, { lockExpiresAt: 'never' }, { lockExpiresAt: 7 }, { lockExpiresAt: true, claim: 7 }];

  async function stored(row: Row) {
    const tables = newTables();
    await tables.write({ op: 'put', table: 'control', row: { ...slotKey(limit.hash, 0), lockOwner: `job/${id}`, ...row } });
    const [seen] = await readSlots(tables, limit.hash);
    if (seen === undefined) throw new Error('no slot');
    return { tables, seen };
  }

  it.each(damaged)('(%j) is taken by one of two that see it at once', async (row) => {
    for (const as of ['own', 'free'] as const) {
      const { tables, seen } = await stored(row);
      expect(await takeSlot(tables, mine, slot, { [as]: seen, now: 0 })).toBe(true);
      expect(await takeSlot(tables, later, slot, { [as]: seen, now: 0 })).toBe(false);
      expect(await readSlots(tables, limit.hash)).toMatchObject([{ claim: mine.lockOwner, until: MINUTE }]);
    }
  });

  it.each([...damaged, { lockExpiresAt: iso(0), startedAt: 'never' }, { lockExpiresAt: iso(0), lockOwner: 7 }])(
    '(%j) gives one start under a rate',
    async (row) => {
      const { tables, seen } = await stored(row);
      const rate = { ...limit, perMs: MINUTE };
      const start = { index: 0, owner: 'job/a', until: MINUTE, startedAt: 0, claim: 'run/mine' };
      expect(await writeRateSlot(tables, rate, start, seen)).toBe(true);
      expect(await writeRateSlot(tables, rate, { ...start, claim: 'run/later' }, seen)).toBe(false);
    },
  );
});

describe('a start under a rate', () => {
  const rate = { ...limit, perMs: MINUTE };
  const start = { index: 0, owner: 'job/a', until: MINUTE, startedAt: 0 };

  it.each([
    ['nobody had used', undefined, start],
    ['another claim of the job has used at the same instant', start, { ...start, claim: 'run/other' }],
    ['another job has used', start, { ...start, owner: 'job/b' }],
    ['was used again at another instant', start, { ...start, startedAt: 1 }],
    ['is used for longer', start, { ...start, until: 2 * MINUTE }],
  ])('is not written over one that %s', async (_, seen, there) => {
    const tables = newTables();
    expect(await writeRateSlot(tables, rate, there, undefined)).toBe(true);
    expect(await writeRateSlot(tables, rate, { ...start, claim: 'run/mine' }, seen)).toBe(false);
    expect(await readSlots(tables, limit.hash)).toEqual([there]);
  });
});
