import { describe, expect, it, vi } from 'vitest';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { Query, Scan, Tables } from '../../shared/ports/tables.ts';
import { withoutEmptyReads } from './without-empty-reads.ts';

const shard = (partition: string): Query => ({ table: 'timers', partition, limit: 10 });
const whole: Scan = { table: 'timers', segment: 0, segments: 1, limit: 10 };
const timer = (name: string) => ({ shard: name, due: '2030-01-01', id: name });

function counted() {
  const store = createMemoryTables({ clock: new SettableClock() });
  const reads = [vi.spyOn(store, 'get'), vi.spyOn(store, 'query'), vi.spyOn(store, 'scan')];
  const begun: string[] = [];
  const tables = withoutEmptyReads(store, async (table) => begun.push(table));
  return { tables, begun, asked: () => reads.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
}

describe('tables without empty reads', () => {
  it('ask the store for every partition that a write of any kind names, and begin its table before the first', async () => {
    const { tables, begun, asked } = counted();
    await tables.write({ op: 'put', table: 'timers', row: timer('a') });
    await tables.write({ op: 'update', table: 'timers', key: { shard: 'b', due: '2030-01-01' }, set: { id: 'b' } });
    await tables.transact([{ op: 'put', table: 'timers', row: timer('c') }], 'token');
    await tables.putAll('timers', [timer('d')]);
    for (const partition of ['a', 'b', 'c', 'd']) expect((await tables.query(shard(partition))).rows).toHaveLength(1);
    expect((await tables.scan(whole)).rows).toHaveLength(4);
    expect(await tables.get('timers', { shard: 'a', due: '2030-01-01' })).toEqual(timer('a'));
    expect({ asked: asked(), begun }).toEqual({ asked: 6, begun: ['timers'] });
  });

  it('answer for the others as the store does, without asking it', async () => {
    const { tables, begun, asked } = counted();
    const answers = async (from: Tables) => [
      await from.get('timers', { shard: 'other', due: '2030-01-01' }),
      await from.query(shard('other')),
      await from.query({ ...shard('other'), consistent: true }),
      await from.scan(whole),
      await from.scan({ ...whole, consistent: true }),
    ];
    const answered = await answers(tables);
    expect({ asked: asked(), begun }).toEqual({ asked: 0, begun: [] });
    expect(answered).toEqual(await answers(createMemoryTables({ clock: new SettableClock() })));
  });

  it('ask for an index as soon as its table holds something, and for everything after a write beside which a user wrote', async () => {
    const { tables, begun, asked } = counted();
    const byType: Query = { table: 'deadLetters', index: 'byType', partition: 'mail#0', limit: 10 };
    await tables.query(byType);
    await tables.putAll('deadLetters', [{ id: 'a', typeLeaf: 'mail#0', failedAt: '2030-01-01' }]);
    expect((await tables.query(byType)).rows).toHaveLength(1);
    await tables.transact([{ op: 'put', table: 'timers', row: timer('a') }], 'token', { beside: [] });
    await tables.query(shard('other'));
    expect({ asked: asked(), begun: begun.toSorted() }).toEqual({ asked: 2, begun: TABLE_NAMES.toSorted() });
  });
});
