import { describe, expect, test } from 'vitest';
import { quantile } from '../../bench/frame/spread.ts';
import { Latencies } from '../../bench/scale/model/latency.ts';
import { ModelTables } from '../../bench/scale/model/model-tables.ts';
import { quickEntropy } from '../../bench/scale/model/quick-entropy.ts';
import { after } from '../../bench/scale/model/row-after.ts';
import { stored } from '../../bench/scale/model/sorted-rows.ts';
import { UnitMeter } from '../../bench/scale/model/table-capacity.ts';
import { ModelTime } from '../../bench/scale/model/model-time.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { rowBytes } from '../../shared/adapters/memory/row-size.ts';

const MINUTE = 60_000;
const one = (key: string, units: number): ReadonlyMap<string, number> => new Map([[key, units]]);

function openTables() {
  const time = new ModelTime(0);
  return { time, tables: new ModelTables({ time, entropy: quickEntropy(1), latencies: new Latencies(time, quickEntropy(2)) }) };
}

const minute = (n: number) => ({ pk: 'busy', sk: String(n) });

describe('the model of DynamoDB', () => {
  test('throttles a key beyond a thousand write units a second, and takes it again in the next', () => {
    const writes = new UnitMeter('writes', 40_000);
    for (let n = 0; n < 1_000; n++) expect(writes.take(one('hot', 1), 500)).toBeUndefined();
    expect(writes.take(one('hot', 1), 999)).toBe('key');
    expect(writes.take(one('other', 1), 999)).toBeUndefined();
    expect(writes.take(one('hot', 1), 1_000)).toBeUndefined();
    expect(writes.hottest).toEqual({ key: 'hot', unitsPerSecond: 1_000 });
    expect(writes.throttled).toEqual({ key: 1, table: 0 });
  });

  test('lets a key be read three times as often as written', () => {
    const reads = new UnitMeter('reads', 40_000);
    expect(reads.take(one('hot', 3_000), 0)).toBeUndefined();
    expect(reads.take(one('hot', 0.5), 0)).toBe('key');
  });

  test('throttles a table beyond what it was warmed to, however its keys are spread', () => {
    const writes = new UnitMeter('writes', 4_000);
    for (let n = 0; n < 4_000; n++) expect(writes.take(one(`key-${n}`, 1), 0)).toBeUndefined();
    expect(writes.take(one('one-more', 1), 0)).toBe('table');
  });

  test('doubles a table to twice its peak, half an hour after the peak and not before', () => {
    const writes = new UnitMeter('writes', 4_000);
    for (let second = 0; second < 60; second++) for (let n = 0; n < 10; n++) writes.take(one(`key-${n}`, 400), second * 1_000);
    writes.take(one('after', 1), MINUTE);
    expect(writes.limit(30 * MINUTE)).toBe(4_000);
    expect(writes.limit(31 * MINUTE)).toBe(8_000);
  });

  test('makes what is throttled wait as the SDK does, and gives up after four attempts', async () => {
    const { time, tables } = openTables();
    const failures: unknown[] = [];
    let done = 0;
    for (let n = 0; n < 6_000; n++) {
      void tables.write({ op: 'put', table: 'control', row: minute(n) }).then(
        () => done++,
        (error: unknown) => failures.push(error),
      );
    }
    await time.runUntil(900);
    expect(done).toBe(1_000);
    await time.runUntil(10 * MINUTE);
    expect(done + failures.length).toBe(6_000);
    expect(done).toBeGreaterThan(2_000);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every((error) => error instanceof StoreUnavailableError)).toBe(true);
    expect(tables.givenUp).toBe(failures.length);
    expect(tables.count('control')).toBe(done);
  });

  test('bills a transaction twice, applies all of it or nothing, and says which condition failed', async () => {
    const { time, tables } = openTables();
    tables.place('jobs', { id: 'there', rev: 1 });
    const taken = { op: 'put', table: 'jobs', row: { id: 'there', rev: 2 }, condition: { test: 'absent', attribute: 'id' } } as const;
    const fresh = { op: 'put', table: 'timers', row: { shard: '00', due: 'x', id: 'new' } } as const;
    const outcome = tables.transact([fresh, taken], 'token');
    await time.runUntil(1_000);
    expect(await outcome).toEqual({
      applied: false,
      reasons: [{ code: 'none' }, { code: 'condition', row: { id: 'there', rev: 1 } }],
      attempts: 1,
    });
    expect(tables.count('timers')).toBe(0);
    expect(tables.capacity('jobs').writes.total).toBe(2);
    expect(tables.capacity('timers').writes.total).toBe(2);
  });

  test('turns away what meets a transaction under way, which both get through when it has ended', async () => {
    const { time, tables } = openTables();
    tables.place('jobs', { id: 'a', n: 0 });
    const add = { op: 'update', table: 'jobs', key: { id: 'a' }, set: {}, add: { n: 1 } } as const;
    const outcomes = Promise.all([
      ...Array.from({ length: 4 }, () => tables.transact([add], 'token')),
      ...Array.from({ length: 4 }, () => tables.write(add)),
    ]);
    await time.runUntil(10_000);
    expect((await outcomes).every(({ applied }) => applied)).toBe(true);
    expect(tables.conflicts).toBeGreaterThan(0);
    const row = tables.get('jobs', { id: 'a' });
    await time.runUntil(20_000);
    expect(await row).toEqual({ id: 'a', n: 8 });
  });

  test('answers in times whose median and 99th percentile are those that were measured', () => {
    const latencies = new Latencies(new ModelTime(0), quickEntropy(3));
    const drawn = Array.from({ length: 20_000 }, () => latencies.draw({ p50: 8, p99: 16 }));
    expect(quantile(drawn, 0.5)).toBeCloseTo(8, 0);
    expect(Math.abs(quantile(drawn, 0.99) - 16)).toBeLessThan(1);
  });

  test('measures a row that was updated as it would a new one', () => {
    const old = stored({ id: 'a', gone: 'x'.repeat(100), n: 99, kept: 'ä', text: 'short' });
    const changed = after(
      { op: 'update', table: 'jobs', key: { id: 'a' }, set: { text: 'longer', fresh: true }, remove: ['gone'], add: { n: 1, m: 5 } },
      old,
    );
    expect(changed?.row).toEqual({ id: 'a', n: 100, kept: 'ä', text: 'longer', fresh: true, m: 5 });
    expect(changed?.bytes).toBe(rowBytes(changed?.row ?? {}));
  });

  test('reads a partition in order, page by page, whatever was removed and added meanwhile', async () => {
    const { time, tables } = openTables();
    for (const due of ['b', 'd', 'a', 'c']) tables.place('timers', { shard: '00', due });
    const read = async (after?: string): Promise<{ readonly due: readonly unknown[]; readonly more: boolean }> => {
      const cursor = after === undefined ? {} : { after: { shard: '00', due: after } };
      const asked = tables.query({ table: 'timers', partition: '00', through: 'd', limit: 2, ...cursor });
      await time.runUntil(time.now + 1_000);
      const { rows, cursor: next } = await asked;
      return { due: rows.map(({ due }) => due), more: next !== undefined };
    };
    expect(await read()).toEqual({ due: ['a', 'b'], more: true });
    const gone = tables.write({ op: 'delete', table: 'timers', key: { shard: '00', due: 'c' } });
    await time.runUntil(time.now + 1_000);
    await gone;
    tables.place('timers', { shard: '00', due: 'bb' });
    tables.place('timers', { shard: '00', due: 'e' });
    expect(await read('b')).toEqual({ due: ['bb', 'd'], more: true });
    expect(await read('d')).toEqual({ due: [], more: false });
  });
});
