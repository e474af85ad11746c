import { describe, expect, it } from 'vitest';
import { checkFilter } from '../../../operate/jobs/check-filter.ts';
import { type MatchedRow, matchingPage, type PageLimits } from '../../../operate/jobs/matching-rows.ts';
import { planOf } from '../../../operate/jobs/plan.ts';
import { iso } from '../../../shared/job/instant.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import { PARKED_LISTING } from '../../../shared/store/parked-rows.ts';
import { strewJobs } from '../../support/strewn-jobs.ts';

const DAY_MS = 86_400_000;
const NOW = new SettableClock().now();
const LIMITS: PageLimits = { limit: 1_000, maxReadUnits: 1_000 };
const plan = (filter: object) => planOf(checkFilter(filter), { now: NOW, historyDays: 3, ordered: true });

async function everyRow(tables: Tables, filter: object, limit: number): Promise<readonly MatchedRow[]> {
  const rows: MatchedRow[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
    if (pages > 200) throw new Error('The pass does not end.');
    const page = await matchingPage(tables, plan(filter), cursor, { ...LIMITS, limit });
    rows.push(...page.rows);
    cursor = page.next;
  }
  return rows;
}

const idsOf = (rows: readonly MatchedRow[]): readonly string[] => rows.map(({ row }) => String(row['id']));

describe('a pass', () => {
  it('leaves out what an index shows still and the table has no more, when whole rows are read', async () => {
    const tables = createMemoryTables();
    await strewJobs(tables, NOW, 70);
    const filter = { state: 'dead', type: 'mail' };
    const all = idsOf(await everyRow(tables, filter, 100));
    const gone = all[1];
    const lagging: Tables = {
      ...tables,
      query: async (query) => tables.query(query),
      get: async (table, key) => (key['id'] === gone ? undefined : tables.get(table, key)),
    };
    const { rows } = await matchingPage(lagging, plan(filter), undefined, { ...LIMITS, withPayload: true });
    expect(idsOf(rows)).toEqual(all.filter((id) => id !== gone));
    expect(rows.every(({ row }) => typeof row['payload'] === 'string')).toBe(true);
  });

  it('meets rows whose sort key is damaged and the same exactly once, page after page', async () => {
    const tables = createMemoryTables();
    await strewJobs(tables, NOW, 210);
    const rows = (await tables.scan({ table: 'deadLetters', segment: 0, segments: 1, limit: 1_000 })).rows;
    const mails = rows.filter((row) => row['type'] === 'mail');
    await tables.putAll(
      'deadLetters',
      mails.map((row) => ({ ...row, failedAt: 'unknown' })),
    );
    for (const limit of [1, 3]) {
      const met = idsOf(await everyRow(tables, { state: 'dead', type: 'mail' }, limit));
      expect(met.toSorted()).toEqual(mails.map((row) => String(row['id'])).toSorted());
    }
  });

  it('of parked jobs asks for the limits as they are now, not as they were a moment ago', async () => {
    const tables = createMemoryTables();
    const asked: (boolean | undefined)[] = [];
    const query: Tables['query'] = async (given) => {
      if (given.partition === PARKED_LISTING) asked.push(given.consistent);
      return tables.query(given);
    };
    await matchingPage({ ...tables, query }, plan({ state: 'parked' }), undefined, LIMITS);
    expect(asked).toEqual([true]);
  });

  it('goes on right behind any of its rows', async () => {
    const tables = createMemoryTables();
    await strewJobs(tables, NOW, 140);
    for (const filter of [
      { state: 'dead', type: 'mail' },
      { state: ['dead', 'ready'] },
      { state: 'waiting' },
      { state: 'finished' },
      { state: 'parked' },
    ]) {
      const all = await everyRow(tables, filter, 1_000);
      for (const [index, row] of all.entries()) {
        const { rows } = await matchingPage(tables, plan(filter), row.cursor, LIMITS);
        expect(idsOf(rows)).toEqual(idsOf(all.slice(index + 1)));
      }
    }
  });

  it('ends a page early when its payloads would fill the memory', async () => {
    const payload = JSON.stringify('x'.repeat(280_000));
    const rows = Array.from({ length: 100 }, (_, n) => ({ id: String(n), lockOwner: 'queue/0/t', payload }));
    const tables: Tables = { ...createMemoryTables(), scan: async () => ({ rows, readUnits: 1 }) };
    const heavy = await matchingPage(tables, plan({ state: 'ready' }), undefined, { ...LIMITS, withPayload: true });
    expect([heavy.rows.length, heavy.next !== undefined]).toEqual([64, true]);
    const light = await matchingPage(tables, plan({ state: 'ready' }), undefined, LIMITS);
    expect([light.rows.length, light.next]).toEqual([100, undefined]);
  });

  it('that gives the last row of the last place says that it is over, although its page is full', async () => {
    const tables = createMemoryTables();
    await strewJobs(tables, NOW, 70);
    const filter = { state: 'dead', type: 'mail' };
    const { length } = await everyRow(tables, filter, 100);
    expect((await matchingPage(tables, plan(filter), undefined, { ...LIMITS, limit: length })).next).toBeUndefined();
    expect((await matchingPage(tables, plan(filter), undefined, { ...LIMITS, limit: length - 1 })).next).toBeDefined();
  });

  it.each([{ state: 'dead', type: 'mail' }, { state: 'waiting' }])(
    'reads what lies between its instants, on the first page and the next: %j',
    async (filter) => {
      const tables = createMemoryTables();
      await strewJobs(tables, NOW, 70);
      const ranges: (readonly [string | undefined, string | undefined])[] = [];
      const query: Tables['query'] = async (given) => (ranges.push([given.from, given.through]), tables.query(given));
      const [from, to] = [NOW - 400 * DAY_MS, NOW + 400 * DAY_MS];
      const read = async (cursor?: string) =>
        matchingPage({ ...tables, query }, plan({ ...filter, from, to }), cursor, { ...LIMITS, limit: 1 });
      expect((await read((await read()).next)).rows).toHaveLength(1);
      for (const [first = '', last = ''] of ranges) {
        expect(first >= iso(from)).toBe(true);
        expect(last.slice(0, 24) <= iso(to - 1) && last !== '').toBe(true);
      }
    },
  );

  it('goes on in other partitions of an index right behind its last row, and reads what it gave no more', async () => {
    const tables = createMemoryTables();
    await strewJobs(tables, NOW, 70);
    const filter = { state: 'dead', type: 'mail' };
    const first = await matchingPage(tables, plan(filter), undefined, { ...LIMITS, limit: 1 });
    const { typeLeaf = '', failedAt = '' } = first.rows[0]?.row ?? {};
    const asked: boolean[] = [];
    const query: Tables['query'] = async (given) => {
      const before = iso(Date.parse(String(failedAt)) - 1);
      if (given.partition !== typeLeaf) asked.push(given.through === (given.partition < String(typeLeaf) ? before : failedAt));
      return tables.query(given);
    };
    await matchingPage({ ...tables, query }, plan(filter), first.next, { ...LIMITS, limit: 1 });
    expect(asked).toEqual(Array.from({ length: 15 }, () => true));
  });

  it.each([
    [4, [5, 20, 80, 320, 1_000, 1_000]],
    [1_000, [1_000, 1_000, 1_000, 1_000, 1_000, 1_000]],
  ])('of %d rows asks a scan for somewhat more, and then for four times as many, up to a thousand', async (limit, limits) => {
    const asked: number[] = [];
    const scan: Tables['scan'] = async (given) => {
      asked.push(given.limit);
      return { rows: [], readUnits: 3, ...(asked.length < limits.length ? { cursor: { id: String(asked.length) } } : {}) };
    };
    const page = await matchingPage({ ...createMemoryTables(), scan }, plan({ state: 'ready' }), undefined, { ...LIMITS, limit });
    expect(asked).toEqual(limits);
    expect(page.readUnits).toBe(3 * limits.length);
  });

  it.each([
    [4, [10, 20, 40, 80, 160, 200, 200]],
    [1_000, [200, 200, 200, 200, 200, 200, 200]],
  ])('of %d rows asks a partition for twice as many each time, up to two hundred', async (limit, limits) => {
    const asked: number[] = [];
    const query: Tables['query'] = async (given) => {
      if (given.table === 'control') return { rows: [{ pk: PARKED_LISTING, sk: 'h' }], readUnits: 1 };
      asked.push(given.limit);
      return { rows: [], readUnits: 1, ...(asked.length < 7 ? { cursor: { id: String(asked.length) } } : {}) };
    };
    await matchingPage({ ...createMemoryTables(), query }, plan({ state: 'parked' }), undefined, { ...LIMITS, limit });
    expect(asked).toEqual(limits);
  });

  it('gives a count each row and keeps none', async () => {
    const tables = createMemoryTables();
    await strewJobs(tables, NOW, 70);
    const met: string[] = [];
    const page = await matchingPage(tables, plan({ state: 'ready' }), undefined, {
      limit: 1,
      maxReadUnits: 1_000,
      onMatch: ({ row }) => met.push(String(row['id'])),
    });
    expect([page.rows, page.next, met.length]).toEqual([[], undefined, 10]);
  });
});
