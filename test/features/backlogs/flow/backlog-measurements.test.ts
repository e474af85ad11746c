import { describe, expect, it } from 'vitest';
import { sweepUnlessOff } from '../../../../functions/sweeper/sweep-unless-off.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { type BoundedType, listBoundedTypes, readBoundedType } from '../../../../shared/features/backlogs/store/backlog-rows.ts';
import { faultyRig, loseMessages, take } from '../../../support/faulty-rig.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload, maxBacklog: 1_000 });
const other = defineJob('other', { payload: anyPayload, maxBacklog: 7 });
const free = defineJob('free', { payload: anyPayload });
const many = (count: number, payload: Record<string, unknown> = {}): Record<string, unknown>[] =>
  Array.from({ length: count }, () => payload);
const read = async (rig: Rig, type = 'work'): Promise<BoundedType | undefined> => readBoundedType(rig.tables, type);

describe('the measurement of a backlog', () => {
  it('is the sum of all segments, of each type that a client asked for', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(work, many(40));
    await rig.client.enqueueMany(other, many(2));
    await rig.client.enqueueMany(free, many(5));
    await rig.clock.advance(1_000);
    await rig.sweep();
    const now = rig.clock.now();
    expect(await listBoundedTypes(rig.tables, now)).toEqual([
      { type: 'other', bound: 7, askedAt: now - 1_000, measured: { count: 2, from: now, at: now } },
      { type: 'work', bound: 1_000, askedAt: now - 1_000, measured: { count: 40, from: now, at: now } },
    ]);
  });

  it('is read for its type alone', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    await rig.client.enqueue(other, {});
    expect([await read(rig), await read(rig, 'other')]).toMatchObject([{ type: 'work' }, { type: 'other' }]);
    expect([await read(rig, 'a'), await read(rig, 'p'), await read(rig, 'z')]).toEqual([undefined, undefined, undefined]);
  });

  it('reads ready jobs of its type in addition, and no others', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(work, {});
    await take(rig, id);
    await rig.client.enqueueMany(work, many(2));
    await rig.client.enqueueMany(free, many(3));
    expect((await rig.sweep()).counts).toEqual({ left: 2 });
    expect(await read(rig)).toMatchObject({ measured: { count: 2 } });
  });

  it('leaves the report of overdue jobs as it is', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(work, many(3));
    loseMessages(rig);
    await rig.clock.advance(MINUTE);
    await rig.client.enqueueMany(work, many(4));
    await rig.clock.advance(MINUTE - 1);
    expect((await rig.sweep()).seen).toMatchObject({ jobs: 7, overdue: 3, oldestWaitMs: 2 * MINUTE - 1 });
    expect(await read(rig)).toMatchObject({ measured: { count: 7 } });
  });

  it('takes a whole pass of all segments, over as many runs as that needs, and says when it began', async () => {
    const rig = new Rig({ settings: { sweepSegments: 2, sweepReadUnits: 16, sweepPageSize: 5 } });
    await rig.client.enqueueMany(work, many(100, { text: 'x'.repeat(4_000) }));
    const began = rig.clock.now();
    let runs = 0;
    for (; (await read(rig))?.measured === undefined && runs < 50; runs++) {
      await rig.sweep();
      await rig.clock.advance(MINUTE);
    }
    expect(runs).toBeGreaterThan(3);
    const at = began + (runs - 1) * MINUTE;
    expect(await read(rig)).toMatchObject({ measured: { count: 100, from: began, at } });
    // Nobody records a pass twice.
    const before = await read(rig);
    await rig.sweep();
    expect(await read(rig)).toEqual(before);
  });

  it('waits for the next pass where one has begun before a client asked', async () => {
    const rig = new Rig({ settings: { sweepSegments: 1, sweepReadUnits: 10, sweepPageSize: 10 } });
    await rig.client.enqueueMany(free, many(40, { text: 'x'.repeat(4_000) }));
    await rig.sweep();
    await rig.client.enqueueMany(work, many(3));
    let passed = 0;
    for (let runs = 0; passed === 0 && runs < 50; runs++) passed = (await rig.sweep()).passedSegments;
    expect(await read(rig)).not.toHaveProperty('measured');
    passed = 0;
    for (let runs = 0; passed === 0 && runs < 50; runs++) passed = (await rig.sweep()).passedSegments;
    expect(await read(rig)).toMatchObject({ measured: { count: 3 } });
  });

  it('is not written while a segment cannot be scanned', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(work, many(10));
    const scan = rig.tables.scan.bind(rig.tables);
    rig.tables.scan = async (asked) => (asked.segment === 1 ? Promise.reject(new Error('no answer')) : scan(asked));
    await rig.sweep();
    expect(await read(rig)).not.toHaveProperty('measured');
    rig.tables.scan = scan;
    await rig.sweep();
    expect(await read(rig)).toMatchObject({ measured: { count: 10 } });
  });

  it('is asked for once a day, has the bound of the client that asked last, and ends eight days after', async () => {
    const rig = new Rig();
    const start = rig.clock.now();
    await rig.client.enqueue(work, {});
    await rig.clock.advance(DAY - 1);
    await rig.client.enqueue(work, {});
    expect(await read(rig)).toMatchObject({ askedAt: start });
    await rig.clock.advance(5_000);
    await rig.client.enqueue(work, {});
    const askedAt = start + DAY + 4_999;
    expect(await read(rig)).toMatchObject({ askedAt });
    const raised = new Rig({ clock: rig.clock, tables: rig.tables });
    await raised.client.enqueue(defineJob('work', { payload: anyPayload, maxBacklog: 2_000 }), {});
    expect(await read(rig)).toMatchObject({ bound: 2_000 });
    // The client of the old bound wrote its own once, and leaves it now.
    await rig.clock.advance(5_000);
    await rig.client.enqueue(work, {});
    expect(await read(rig)).toMatchObject({ bound: 2_000 });
    await rig.clock.advance(8 * DAY);
    await rig.sweep();
    expect(await read(rig)).not.toHaveProperty('measured');
    const row = (await rig.rows('control')).find(({ pk }) => pk === 'backlog');
    expect(Number(row?.['expiresAt']) * 1_000).toBeLessThanOrEqual(rig.clock.now());
  });

  it('goes on after a row that cannot be read, which the next client repairs', async () => {
    const rig = new Rig();
    const key = { pk: 'backlog', sk: 'work' };
    for (const damage of [
      { askedAt: 'noon', bound: 1 },
      { askedAt: '2026-01-01T00:00:00.000Z', bound: 'many' },
    ]) {
      await rig.tables.write({ op: 'put', table: 'control', row: { ...key, ...damage } });
      expect(await read(rig)).toBeUndefined();
      await rig.clock.advance(5_000);
      await rig.client.enqueue(work, {});
      expect(await read(rig)).toMatchObject({ bound: 1_000, askedAt: rig.clock.now() });
    }
    for (const damage of [{ ready: 'some' }, { measuredFrom: 'noon' }, { measuredAt: 7 }]) {
      await rig.sweep();
      expect(await read(rig)).toHaveProperty('measured');
      await rig.tables.write({ op: 'update', table: 'control', key, set: damage });
      expect(await read(rig)).not.toHaveProperty('measured');
    }
  });

  it('is corrected by the next run after a clock that was ahead, and brings no row back that TTL removed', async () => {
    const rig = new Rig();
    const key = { pk: 'backlog', sk: 'work' };
    await rig.client.enqueue(work, {});
    const ahead = new Date(rig.clock.now() + DAY).toISOString();
    await rig.tables.write({ op: 'update', table: 'control', key, set: { ready: 9_999, measuredFrom: ahead, measuredAt: ahead } });
    await rig.clock.advance(5_000);
    await rig.client.enqueue(work, {});
    await rig.sweep();
    expect(await read(rig)).toMatchObject({ measured: { count: 2, from: rig.clock.now() } });
    const scan = rig.tables.scan.bind(rig.tables);
    rig.tables.scan = async (asked) => {
      await rig.tables.write({ op: 'delete', table: 'control', key });
      return scan(asked);
    };
    await rig.clock.advance(1);
    await rig.sweep();
    rig.tables.scan = scan;
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'backlog')).toEqual([]);
  });

  it('costs a tick no read before a client has asked, and is written by one from then on', async () => {
    const rig = new Rig();
    const asked: unknown[] = [];
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (what) => (asked.push(what.partition), query(what));
    const tick = async () =>
      sweepUnlessOff({ ...rig.deps, backlog: rig.hints }, { requestId: 'tick', deadlineAt: rig.clock.now() + MINUTE });
    await tick();
    expect(asked).toContain('rules');
    expect(asked).not.toContain('backlog');
    await rig.client.enqueue(work, {});
    await tick();
    expect(await read(rig)).toMatchObject({ measured: { count: 1 } });
    const mark = await rig.tables.get('control', { pk: 'rules', sk: 'backlogs' });
    expect(mark).toMatchObject({ expiresAt: (rig.clock.now() + 8 * DAY) / 1_000 });
  });

  it('is written although the rules cannot be read', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(work, {});
    rig.faults.unreadable((asked) => asked.op === 'query' && asked.partition === 'rules');
    await sweepUnlessOff({ ...rig.deps, backlog: rig.hints }, { requestId: 'tick', deadlineAt: rig.clock.now() + MINUTE });
    expect(await read(rig)).toMatchObject({ measured: { count: 1 } });
  });

  it.each(['put', 'update'] as const)('is asked for again when the %s of the request fails', async (op) => {
    const rig = faultyRig();
    rig.faults.next((writes) => writes.some((write) => write.op === op && write.table === 'control'), 'unavailable');
    await rig.client.enqueue(work, {});
    expect(await read(rig)).toBeUndefined();
    expect(rig.journal.count('store-failed')).toBe(1);
    await rig.clock.advance(5_000);
    await rig.client.enqueue(work, {});
    expect(await read(rig)).toMatchObject({ bound: 1_000 });
    expect(await rig.tables.get('control', { pk: 'rules', sk: 'backlogs' })).toBeDefined();
  });
});
