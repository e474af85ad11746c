import { describe, expect, it } from 'vitest';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import { releaseLock, takeLock } from '../../../shared/store/take-lock.ts';
import { faultyTables } from '../../support/faulty-tables.ts';

const KEY = { pk: 'lock', sk: '0' };
const TIMES = { now: 0, expiresAt: 60_000 };
const newTables = () => createMemoryTables({ clock: new SettableClock() });
const ownerOf = async (tables: Tables) => (await tables.get('control', KEY))?.['lockOwner'];

describe('a lock', () => {
  it('is taken by one, and again by the same', async () => {
    const tables = newTables();
    expect(await takeLock(tables, KEY, 'a', TIMES)).toEqual({ taken: true, until: 60_000 });
    expect(await takeLock(tables, KEY, 'b', TIMES)).toEqual({ taken: false, until: 60_000 });
    expect(await takeLock(tables, KEY, 'a', TIMES)).toEqual({ taken: true, until: 60_000 });
  });

  it('is not shortened by an earlier attempt of its owner that comes late', async () => {
    const tables = newTables();
    await takeLock(tables, KEY, 'a', { now: 20_000, expiresAt: 80_000 });
    expect(await takeLock(tables, KEY, 'a', TIMES)).toEqual({ taken: true, until: 80_000 });
    expect(await takeLock(tables, KEY, 'b', { now: 70_000, expiresAt: 130_000 })).toEqual({ taken: false, until: 80_000 });
  });

  it('is given back by its owner alone', async () => {
    const tables = newTables();
    await takeLock(tables, KEY, 'a', TIMES);
    await releaseLock(tables, KEY, 'b');
    expect(await ownerOf(tables)).toBe('a');
    await releaseLock(tables, KEY, 'a');
    expect(await ownerOf(tables)).toBeUndefined();
  });

  it('that does not say until when, and that another process replaced meanwhile, is asked for again in a minute', async () => {
    const tables = newTables();
    const say = async (lockExpiresAt: string) =>
      tables.write({ op: 'put', table: 'control', row: { ...KEY, lockOwner: 'x', lockExpiresAt } });
    await say('soon');
    const faulty = faultyTables(tables);
    let puts = 0;
    faulty.before(
      () => ++puts === 2,
      async () => say('later'),
    );
    expect(await takeLock(faulty.tables, KEY, 'a', { now: 5, expiresAt: 9 })).toEqual({ taken: false, until: 60_005 });
  });

  it('that does not say until when is replaced, unless another process was faster', async () => {
    const tables = newTables();
    const broken = async () => tables.write({ op: 'put', table: 'control', row: { ...KEY, lockOwner: 'x', lockExpiresAt: 'soon' } });
    await broken();
    expect(await takeLock(tables, KEY, 'a', TIMES)).toEqual({ taken: true, until: 60_000 });
    await broken();
    const write = tables.write.bind(tables);
    let writes = 0;
    const raced: Tables = {
      ...tables,
      write: async (one, window) => {
        if (writes++ === 1)
          await write({ op: 'put', table: 'control', row: { ...KEY, lockOwner: 'b', lockExpiresAt: '1970-01-01T00:01:00.000Z' } });
        return write(one, window);
      },
    };
    expect(await takeLock(raced, KEY, 'a', TIMES)).toMatchObject({ taken: false });
    expect(await ownerOf(tables)).toBe('b');
  });
});
