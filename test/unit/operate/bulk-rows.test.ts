import { describe, expect, it } from 'vitest';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import { beginBulk, bulkKey, type BulkRow, readBulk, readBulks, readMet, saveBulk, takeBulk } from '../../../operate/bulk/bulk-rows.ts';

const held = (lockOwner: string, updatedAt = 0, steps = 0): BulkRow => ({
  id: 'b',
  state: '{}',
  steps,
  updatedAt,
  lockOwner,
  lockExpiresAt: 60_000,
});
const step = (row: BulkRow) => ({ row, met: [], records: [] });

async function begun(): Promise<Tables> {
  const tables = createMemoryTables({ clock: new SettableClock() });
  await beginBulk(tables, { row: held('first'), records: [] });
  return tables;
}

describe('a bulk action', () => {
  it('is not begun again by an attempt that comes after its token was forgotten', async () => {
    const clock = new SettableClock();
    const tables = createMemoryTables({ clock });
    const begin = async () => beginBulk(tables, { row: held('first'), records: [] });
    await begin();
    expect(await saveBulk(tables, step(held('first', 1, 1)), 'first')).toBe(true);
    await clock.advance(11 * 60_000);
    await begin();
    expect(await readBulk(tables, 'b')).toMatchObject({ steps: 1 });
  });

  it('takes no step of a process that lost it', async () => {
    const tables = await begun();
    expect(await takeBulk(tables, held('first'), step(held('second')))).toBe(true);
    expect(await saveBulk(tables, step(held('first', 1, 1)), 'first')).toBe(false);
    expect(await readBulk(tables, 'b')).toMatchObject({ lockOwner: 'second', steps: 0 });
  });

  it('is not taken over from one who wrote a step since it was seen', async () => {
    const tables = await begun();
    expect(await saveBulk(tables, step(held('first', 1, 1)), 'first')).toBe(true);
    expect(await takeBulk(tables, held('first'), step(held('second')))).toBe(false);
    expect(await readBulk(tables, 'b')).toMatchObject({ lockOwner: 'first', steps: 1 });
  });

  it('is taken over by one of two who saw the same', async () => {
    const tables = await begun();
    expect(await takeBulk(tables, held('first'), step(held('second')))).toBe(true);
    expect(await takeBulk(tables, held('first'), step(held('third')))).toBe(false);
    expect(await readBulk(tables, 'b')).toMatchObject({ lockOwner: 'second' });
  });

  it('is listed with as many others as were asked for, although a row among them cannot be read', async () => {
    const tables = createMemoryTables({ clock: new SettableClock() });
    for (const id of ['1', '2', '3', '4', '5']) await beginBulk(tables, { row: { ...held('first'), id }, records: [] });
    await tables.write({ op: 'update', table: 'control', key: bulkKey('4'), set: { updatedAt: 'never' } });
    expect((await readBulks(tables, 3)).map(({ id }) => id)).toEqual(['5', '3', '2']);
  });

  it('knows every job that it met, and those of each step', async () => {
    const tables = await begun();
    const met = [['a', 'b'], ['c']] as const;
    for (const [at, ids] of met.entries()) await saveBulk(tables, { ...step(held('first', at, at)), met: ids }, 'first');
    expect(await readMet(tables, 'b', 1)).toEqual({ met: new Set(['a', 'b', 'c']), of: ['c'] });
  });
});
