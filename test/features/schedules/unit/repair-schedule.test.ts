import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule, MISSED_POLICIES } from '../../../../shared/features/schedules/model/definition.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables, type MemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { keyOf, TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { RowKey, Tables } from '../../../../shared/ports/tables.ts';
import { repairSchedule } from '../../../../shared/features/schedules/store/repair-schedule.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { putSchedule } from '../../../../shared/features/schedules/store/schedules.ts';
import { aimAt, faultyTables } from '../../../support/faulty-tables.ts';
import { anyPayload } from '../../../support/rig.ts';
import { NOON } from '../../../unit/job/sample-job.ts';

const HOUR = 3_600_000;
const terms = (token: string) => ({ token, now: NOON, lanesOf: () => undefined });
const nightly = defineSchedule('nightly', {
  job: defineJob('report', { payload: anyPayload }),
  payload: {},
  cron: '0 0 * * *',
  maxRuns: 3,
});
const fix = async (tables: Tables) => repairSchedule(tables, 'nightly', terms('fix'));

/** A schedule, and the key of its timer. */
async function put(): Promise<{ readonly tables: MemoryTables; readonly timer: RowKey }> {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await putSchedule(tables, nightly, 'code', terms('put'));
  const [row = {}] = tables.rows('timers');
  return { tables, timer: keyOf(TABLE_SPECS.timers, row) };
}
const lose = async (tables: Tables, key: RowKey) => tables.write({ op: 'delete', table: 'timers', key });

describe('a schedule that is repaired', () => {
  it('gets the timer again that was lost, as it was', async () => {
    const { tables, timer } = await put();
    const [lost] = tables.rows('timers');
    await lose(tables, timer);
    expect(await fix(tables)).toBe(true);
    expect(tables.rows('timers')).toEqual([lost]);
    expect(await fix(tables)).toBe(false);
  });

  it('keeps a timer that cannot be read: it is there until it is set aside', async () => {
    const { tables, timer } = await put();
    await tables.write({ op: 'update', table: 'timers', key: timer, set: { priority: 'high' } });
    const rows = tables.rows('timers');
    expect(await fix(tables)).toBe(false);
    expect(tables.rows('timers')).toEqual(rows);
  });

  it('is left alone while the store does not say where its timer lies', async () => {
    const faulty = faultyTables((await put()).tables);
    faulty.unreadable(({ table }) => table === 'timers');
    await expect(fix(faulty.tables)).rejects.toThrow(StoreUnavailableError);
  });

  it.each([
    ['lies nowhere', false],
    ['was cancelled', true],
  ])('is left to whoever went on with it meanwhile (its timer %s)', async (_, settled) => {
    const { tables, timer } = await put();
    const next = String((await tables.get('control', scheduleKey('nightly')))?.['nextNominal']);
    if (settled) await tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set: { settled: next } });
    await lose(tables, timer);
    const faulty = faultyTables(tables);
    const rev = { op: 'update', table: 'control', key: scheduleKey('nightly'), set: {}, add: { rev: 1 } } as const;
    faulty.before(aimAt('put', 'timers'), async () => tables.write(rev));
    expect(await fix(faulty.tables)).toBe(false);
    expect(tables.rows('timers')).toEqual([]);
  });

  it('goes on behind an occurrence that was cancelled, which counts as no run', async () => {
    const { tables, timer } = await put();
    const before = (await tables.get('control', scheduleKey('nightly'))) ?? {};
    await tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set: { settled: String(before['nextNominal']) } });
    await lose(tables, timer);
    expect(await fix(tables)).toBe(true);
    const [row] = tables.rows('timers');
    expect(row?.['nominalAt']).toBe(new Date(Date.parse(String(before['nextNominal'])) + 86_400_000).toISOString());
    expect(await tables.get('control', scheduleKey('nightly'))).toMatchObject({
      runs: 0,
      rev: Number(before['rev']) + 1,
      lastNominal: before['nextNominal'],
    });
  });

  it('has as many runs as maxRuns says, without one that was cancelled while a single run was left', async () => {
    const { tables, timer } = await put();
    const { nextNominal = '' } = (await tables.get('control', scheduleKey('nightly'))) ?? {};
    const set = { settled: String(nextNominal), runs: 2 };
    await tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set });
    await lose(tables, timer);
    expect(await fix(tables)).toBe(true);
    expect(await tables.get('control', scheduleKey('nightly'))).toMatchObject({ runs: 2 });
    expect(tables.rows('timers')).toHaveLength(1);
  });

  it.each(MISSED_POLICIES)('leaves what was missed since an occurrence was cancelled to the missed policy (%s)', async (missed) => {
    const tables = createMemoryTables({ clock: new SettableClock(NOON) });
    const hourly = defineSchedule('nightly', { job: defineJob('report', { payload: anyPayload }), payload: {}, cron: '0 * * * *', missed });
    await putSchedule(tables, hourly, 'code', terms('put'));
    const [timer = {}] = tables.rows('timers');
    await tables.write({ op: 'delete', table: 'timers', key: keyOf(TABLE_SPECS.timers, timer) });
    const settled = String(timer['nominalAt']);
    await tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set: { settled } });
    await repairSchedule(tables, 'nightly', { ...terms('fix'), now: NOON + 5 * HOUR });
    expect(tables.rows('timers').map(({ nominalAt }) => nominalAt)).toEqual([new Date(NOON + 2 * HOUR).toISOString()]);
    expect(await tables.get('control', scheduleKey('nightly'))).toMatchObject({ runs: 0, missed: 0 });
  });
});
