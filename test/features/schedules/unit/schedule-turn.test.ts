import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import type { Row, TableName, Tables } from '../../../../shared/ports/tables.ts';
import { deadLetterRow, jobRow, suspendedRow, timerRow } from '../../../../shared/store/rows.ts';
import { scheduleRunKey, scheduleWaitKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { takeScheduleTurn, takeWaitingPlace } from '../../../../shared/features/schedules/store/schedule-turn.ts';
import { aimAt, faultyTables } from '../../../support/faulty-tables.ts';
import { idOf } from '../../../support/job-rows.ts';
import { NOON, readyJob, sampleJob } from '../../../unit/job/sample-job.ts';

const DAY_SECONDS = 86_400;
const mine = { id: idOf(1), lockOwner: 'run/mine', lockExpiresAt: NOON + 60_000 };
const holder = idOf(2);
const key = scheduleRunKey('nightly');
const turnOf = (jobId: string, claim: string): Row => ({ ...key, jobId, claim, expiresAt: 1 });
const take = async (tables: Tables) => takeScheduleTurn(tables, 'nightly', mine, { now: NOON });

async function withRows(...rows: readonly (readonly [TableName, Row])[]): Promise<Tables> {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  for (const [table, row] of rows) await tables.write({ op: 'put', table, row });
  return tables;
}

describe('the turn of a schedule', () => {
  it('that is free is taken with one write, and remembered for forty days', async () => {
    const tables = await withRows();
    const write = vi.spyOn(tables, 'write');
    expect(await take(tables)).toEqual({ taken: true });
    expect(write).toHaveBeenCalledTimes(1);
    const row = await tables.get('control', key);
    expect(row).toEqual({
      ...key,
      jobId: mine.id,
      claim: 'run/mine',
      leaseUntil: '2026-01-01T12:01:00.000Z',
      expiresAt: NOON / 1000 + 40 * DAY_SECONDS,
    });
  });

  it('that an earlier claim of the same occurrence took is its own', async () => {
    const tables = await withRows(['control', turnOf(mine.id, 'run/earlier')], ['jobs', jobRow(readyJob(mine))]);
    const get = vi.spyOn(tables, 'get');
    expect(await take(tables)).toEqual({ taken: true });
    expect(get).not.toHaveBeenCalled();
    expect((await tables.get('control', key))?.['claim']).toBe('run/mine');
  });

  it('is left to one that is not finished, and says when that is due', async () => {
    const tables = await withRows(['control', turnOf(holder, 'run/other')], ['jobs', jobRow(readyJob({ id: holder, dueAt: NOON + 7 }))]);
    expect(await take(tables)).toMatchObject({ taken: false, holder: { state: 'ready', job: { id: holder, dueAt: NOON + 7 } } });
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
      (writes) => aimAt('update', 'control')(writes) && ++puts === 2,
      async () => inner.write(there === undefined ? { op: 'delete', table: 'control', key } : { op: 'put', table: 'control', row: there }),
    );
    expect(await take(faulty.tables)).toEqual({ taken });
    expect((await inner.get('control', key))?.['claim']).toBe(taken ? 'run/mine' : there?.['claim']);
  });
});

describe('the latest occurrence', () => {
  const ANCHOR = NOON - DAY_SECONDS;
  const latest = (nominalAt: number, anchor = ANCHOR) => ({ now: NOON, latestWins: true, place: { anchor, nominalAt } });
  const finished = { id: holder, lockOwner: 'run/other', lockExpiresAt: NOON };

  it('leaves no turn to an earlier one, though it is finished itself', async () => {
    const tables = await withRows();
    await takeScheduleTurn(tables, 'nightly', finished, latest(NOON));
    expect(await takeScheduleTurn(tables, 'nightly', mine, latest(NOON - 1))).toEqual({ taken: false, passed: true });
    expect(await takeScheduleTurn(tables, 'nightly', mine, { ...latest(NOON - 1), latestWins: false })).toEqual({ taken: true });
  });

  it('leaves it to one of a sequence that began anew, and takes it from one of an earlier release, which left no time', async () => {
    const tables = await withRows(['control', turnOf(holder, 'run/other')]);
    expect(await takeScheduleTurn(tables, 'nightly', mine, latest(NOON))).toEqual({ taken: true });
    const again = { id: idOf(3), lockOwner: 'run/again', lockExpiresAt: NOON };
    expect(await takeScheduleTurn(tables, 'nightly', again, latest(NOON - 5, ANCHOR + 1))).toEqual({ taken: true });
  });

  it('is not set back by what an earlier claim of its holder wrote and what arrives late', async () => {
    const tables = await withRows();
    const write = vi.spyOn(tables, 'write');
    await takeScheduleTurn(tables, 'nightly', mine, latest(NOON - 1));
    const [late] = write.mock.calls[0] ?? [];
    if (late === undefined) throw new Error('nothing was written');
    await takeScheduleTurn(tables, 'nightly', finished, latest(NOON));
    const retried = { ...mine, lockOwner: 'run/retried', lockExpiresAt: NOON + 120_000 };
    await takeScheduleTurn(tables, 'nightly', retried, { now: NOON });
    expect(await tables.write(late)).toMatchObject({ applied: false });
    expect(await tables.get('control', key)).toMatchObject({
      claim: 'run/retried',
      leaseUntil: '2026-01-01T12:02:00.000Z',
      nominalAt: '2026-01-01T12:00:00.000Z',
    });
  });

  it('stays the latest while an operator has another one run', async () => {
    const tables = await withRows();
    await takeScheduleTurn(tables, 'nightly', finished, latest(NOON));
    const asked = { id: idOf(3), lockOwner: 'run/asked', lockExpiresAt: NOON };
    expect(await takeScheduleTurn(tables, 'nightly', asked, { now: NOON })).toEqual({ taken: true });
    expect(await takeScheduleTurn(tables, 'nightly', mine, latest(NOON - 1))).toEqual({ taken: false, passed: true });
    expect(await takeScheduleTurn(tables, 'nightly', mine, latest(NOON + 1))).toEqual({ taken: true });
  });
});

describe('the place of the one that waits', () => {
  const place = scheduleWaitKey('nightly');
  const waits = async (tables: Tables) => takeWaitingPlace(tables, 'nightly', mine, NOON);
  const there = { ...place, jobId: holder, claim: 'run/other', expiresAt: 1 };
  const unfinished = ['jobs', jobRow(readyJob({ id: holder }))] as const;

  it('is taken when it is free, and then its own', async () => {
    const tables = await withRows();
    expect([await waits(tables), await waits(tables)]).toEqual([true, true]);
    expect(await tables.get('control', place)).toMatchObject({ jobId: mine.id, claim: 'run/mine' });
    expect(await tables.get('control', key)).toBeUndefined();
  });

  it('is left to one that waits there', async () => {
    const tables = await withRows(['control', there], ['control', turnOf(idOf(3), 'run/third')], unfinished);
    expect(await waits(tables)).toBe(false);
    expect(await tables.get('control', place)).toEqual(there);
  });

  it('is free again once the one that waited there has the turn', async () => {
    const tables = await withRows(['control', there], ['control', turnOf(holder, 'run/other')], unfinished);
    expect(await waits(tables)).toBe(true);
  });

  it('is free again when an operator suspended or postponed the one that waited there', async () => {
    const cause = { cause: 'type#report', suspendedAt: NOON, from: 'jobs' } as const;
    const suspended = ['suspended', suspendedRow({ ...sampleJob({ id: holder }), ...cause })] as const;
    const postponed = ['timers', timerRow(sampleJob({ id: holder, dueAt: NOON + DAY_SECONDS * 1_000 }))] as const;
    for (const row of [suspended, postponed]) {
      const tables = await withRows(['control', there], ['control', turnOf(idOf(3), 'run/third')], row);
      expect(await waits(tables)).toBe(true);
    }
  });

  it('is taken by one of two that find it left at once', async () => {
    const inner = await withRows(['control', there], ['control', turnOf(holder, 'run/other')], unfinished);
    let puts = 0;
    const faulty = faultyTables(inner);
    const third = { ...there, jobId: idOf(3), claim: 'run/third' };
    faulty.before(
      (writes) => aimAt('update', 'control')(writes) && ++puts === 2,
      async () => inner.write({ op: 'put', table: 'control', row: third }),
    );
    expect(await waits(faulty.tables)).toBe(false);
    expect(await inner.get('control', place)).toEqual(third);
  });
});
