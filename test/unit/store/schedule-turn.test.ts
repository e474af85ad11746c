import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../shared/core/errors.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { Row, Tables } from '../../../shared/ports/tables.ts';
import { deadLetterRow, jobRow } from '../../../shared/store/rows.ts';
import { scheduleRunKey } from '../../../shared/features/schedules/store/schedule-rows.ts';
import { takeScheduleTurn } from '../../../shared/features/schedules/store/schedule-turn.ts';
import { aimAt, faultyTables } from '../../support/faulty-tables.ts';
import { idOf } from '../../support/job-rows.ts';
import { NOON, readyJob, sampleJob } from '../core/sample-job.ts';

const DAY_SECONDS = 86_400;
const mine = { id: idOf(1), lockOwner: 'run/mine' };
const holder = idOf(2);
const key = scheduleRunKey('nightly');
const turnOf = (jobId: string, claim: string): Row => ({ ...key, jobId, claim, expiresAt: 1 });
const take = async (tables: Tables) => takeScheduleTurn(tables, 'nightly', mine, NOON);

async function withRows(...rows: readonly (readonly ['control' | 'jobs' | 'deadLetters', Row])[]): Promise<Tables> {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  for (const [table, row] of rows) await tables.write({ op: 'put', table, row });
  return tables;
}

describe('the turn of a schedule', () => {
  it('that nobody has is taken with one write, and remembered for forty days', async () => {
    const tables = await withRows();
    const write = vi.spyOn(tables, 'write');
    expect(await take(tables)).toEqual({ taken: true });
    expect(write).toHaveBeenCalledTimes(1);
    const row = await tables.get('control', key);
    expect(row).toEqual({ ...key, jobId: mine.id, claim: 'run/mine', expiresAt: NOON / 1000 + 40 * DAY_SECONDS });
  });

  it('that an earlier claim of the same occurrence took is its own', async () => {
    const tables = await withRows(['control', turnOf(mine.id, 'run/earlier')], ['jobs', jobRow(readyJob(mine))]);
    expect(await take(tables)).toEqual({ taken: true });
    expect((await tables.get('control', key))?.['claim']).toBe('run/mine');
  });

  it('is left to one that is not finished, and says when that is due', async () => {
    const tables = await withRows(['control', turnOf(holder, 'run/other')], ['jobs', jobRow(readyJob({ id: holder, dueAt: NOON + 7 }))]);
    expect(await take(tables)).toEqual({ taken: false, holderDueAt: NOON + 7 });
    expect(await tables.get('control', key)).toEqual(turnOf(holder, 'run/other'));
  });

  it('is left to one whose row cannot be read, because it is there', async () => {
    const tables = await withRows(
      ['control', turnOf(holder, 'run/other')],
      ['jobs', { ...jobRow(readyJob({ id: holder })), dueAt: 'soon' }],
    );
    expect(await take(tables)).toEqual({ taken: false });
    expect((await tables.get('control', key))?.['jobId']).toBe(holder);
  });

  it('is not decided on while the store does not say where its holder lies', async () => {
    const faulty = faultyTables(await withRows(['control', turnOf(holder, 'run/other')]));
    faulty.unreadable(({ table }) => table === 'jobs');
    await expect(take(faulty.tables)).rejects.toThrow(StoreUnavailableError);
    expect((await faulty.tables.get('control', key))?.['jobId']).toBe(holder);
  });

  const dead = { ...sampleJob({ id: holder }), reason: 'failed', failedAt: NOON, fingerprint: 'f' } as const;
  it.each<readonly [string, readonly (readonly ['deadLetters', Row])[]]>([
    ['lies nowhere', []],
    ['died', [['deadLetters', deadLetterRow(dead)]]],
  ])('is taken over from one that %s', async (_, rows) => {
    const tables = await withRows(['control', turnOf(holder, 'run/other')], ...rows);
    expect(await take(tables)).toEqual({ taken: true });
    expect(await tables.get('control', key)).toMatchObject({ jobId: mine.id, claim: 'run/mine' });
  });

  it.each([
    ['its holder came back and claimed it anew', turnOf(holder, 'run/again'), false],
    ['another occurrence took it', turnOf(idOf(3), 'run/other'), false],
    ['it went', undefined, true],
  ] as const)('that was seen with a finished one is taken over only if it is as it was seen (%s)', async (_, there, taken) => {
    const inner = await withRows(['control', turnOf(holder, 'run/other')]);
    let puts = 0;
    const faulty = faultyTables(inner);
    faulty.before(
      (writes) => aimAt('put', 'control')(writes) && ++puts === 2,
      async () => inner.write(there === undefined ? { op: 'delete', table: 'control', key } : { op: 'put', table: 'control', row: there }),
    );
    expect(await take(faulty.tables)).toEqual({ taken });
    expect((await inner.get('control', key))?.['claim']).toBe(taken ? 'run/mine' : there?.['claim']);
  });
});
