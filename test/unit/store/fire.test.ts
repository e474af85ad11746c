import { describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../shared/job/size-limits.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables, type MemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import { fire, type Firing, firing, packFirings } from '../../../shared/store/fire.ts';
import { rowBytes } from '../../../shared/store/row-bytes.ts';
import { jobRow, timerRow } from '../../../shared/store/rows.ts';
import { aimAt, faultyTables } from '../../support/faulty-tables.ts';
import { idOf } from '../../support/job-rows.ts';
import { NOON, readyJob, sampleJob } from '../job/sample-job.ts';

const ids = [idOf(1), idOf(2), idOf(3)] as const;
const terms = { token: 't', now: NOON, redispatchAfterMs: 60_000 };
const timerOf = (id: string, payload = '{}') => sampleJob({ id, payload });

async function timers(): Promise<{ readonly tables: MemoryTables; readonly page: readonly Firing[] }> {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  for (const id of ids) await tables.write({ op: 'put', table: 'timers', row: timerRow(timerOf(id)) });
  return { tables, page: ids.map((id) => firing(timerOf(id), terms)) };
}
const fired = async (tables: Tables, page: readonly Firing[]) => (await fire(tables, page)).map(({ job }) => ids.indexOf(job.id as never));
const waiting = (tables: MemoryTables) =>
  tables
    .rows('timers')
    .map(({ id }) => ids.indexOf(id as never))
    .toSorted((one, other) => one - other);

describe('a page of timers that fires', () => {
  it.each([0, 1, 2])('goes without the one that was edited meanwhile (%i)', async (edited) => {
    const { tables, page } = await timers();
    await tables.write({ op: 'update', table: 'timers', key: page[edited]?.key ?? {}, set: {}, add: { rev: 1 } });
    expect(await fired(tables, page)).toEqual([0, 1, 2].filter((index) => index !== edited));
    expect(waiting(tables)).toEqual([edited]);
  });

  it.each([0, 1, 2])('takes the timer away of a job that lies ready already, and leaves the job as it is (%i)', async (twin) => {
    const { tables, page } = await timers();
    const row = jobRow(readyJob({ id: ids[twin] ?? '', rev: 99 }));
    await tables.write({ op: 'put', table: 'jobs', row });
    const transact = vi.spyOn(tables, 'transact');
    expect(await fired(tables, page)).toEqual([0, 1, 2].filter((index) => index !== twin));
    expect(waiting(tables)).toEqual([]);
    expect(await tables.get('jobs', { id: ids[twin] ?? '' })).toEqual(row);
    expect(transact).toHaveBeenCalledTimes(2);
  });

  it('moves the first of two timers of one id, which only a restored row can be, and leaves the other for the next look', async () => {
    const { tables, page } = await timers();
    const later = sampleJob({ id: ids[0], dueAt: NOON + 1_000 });
    await tables.write({ op: 'put', table: 'timers', row: timerRow(later) });
    expect(await fired(tables, [...page, firing(later, terms)])).toEqual([0, 1, 2]);
    expect(waiting(tables)).toEqual([0]);
  });

  it('leaves the timer of such a job that was edited since', async () => {
    const { tables, page } = await timers();
    await tables.write({ op: 'put', table: 'jobs', row: jobRow(readyJob({ id: ids[1], rev: 99 })) });
    const faulty = faultyTables(tables);
    const edit = { op: 'update', table: 'timers', key: page[1]?.key ?? {}, set: {}, add: { rev: 1 } } as const;
    faulty.before(
      (writes) => writes.length === 1 && aimAt('delete', 'timers')(writes),
      async () => tables.write(edit),
    );
    await fire(faulty.tables, page);
    expect(waiting(tables)).toEqual([1]);
  });
});

describe('firings in one transaction', () => {
  it('are fifty at most', () => {
    const many = Array.from({ length: 101 }, (_, index) => firing(timerOf(idOf(index)), terms));
    expect(packFirings(many).map(({ length }) => length)).toEqual([50, 50, 1]);
  });

  it('have no more bytes than a transaction may, the deleted row counted too', () => {
    const big = (seed: number) => firing(timerOf(idOf(seed), 'x'.repeat(100_000)), terms);
    const fit = Math.floor(LIMITS.transactionBytes / (2 * rowBytes(big(0).row)));
    const page = Array.from({ length: fit + 1 }, (_, index) => big(index));
    expect(packFirings(page).map(({ length }) => length)).toEqual([fit, 1]);
  });
});
