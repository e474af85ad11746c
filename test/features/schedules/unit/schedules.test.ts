import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule, type ScheduleDefinition } from '../../../../shared/features/schedules/model/definition.ts';
import { planned, type Schedule } from '../../../../shared/features/schedules/model/schedule.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables, type MemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { keyOf, TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { JobId } from '../../../../shared/job/job-id.ts';
import type { Row, RowKey, Tables, Write } from '../../../../shared/ports/tables.ts';
import { cancel } from '../../../../shared/store/cancel.ts';
import { recallAhead } from '../../../../shared/features/schedules/store/recall-ahead.ts';
import { jobRow } from '../../../../shared/store/rows.ts';
import { scheduleGoneKey, scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { deleteSchedule, pauseSchedule, putSchedule, readSchedule } from '../../../../shared/features/schedules/store/schedules.ts';
import { faultyTables } from '../../../support/faulty-tables.ts';
import { anyPayload } from '../../../support/rig.ts';
import { NOON, readyJob } from '../../../unit/job/sample-job.ts';

const MINUTE = 60_000;
const terms = { token: 't', now: NOON, lanesOf: () => undefined };
const minutely = (more: Partial<Parameters<typeof defineSchedule>[1]> = {}): ScheduleDefinition =>
  defineSchedule('s', { job: defineJob('report', { payload: anyPayload }), payload: {}, cron: '* * * * *', ...more });
const KEY = scheduleKey('s');
const pause = async (tables: Tables) => pauseSchedule(tables, 's', { actor: 'me', reason: 'r' }, terms);

/** The row of an occurrence that was fired and has not started. */
const firedRow = (id: JobId, dueAt: number): Row => jobRow(readyJob({ id, dueAt, schedule: 's', starts: 0 }));

/** A schedule of every minute of which the occurrences of so many minutes are fired ahead, as `runs` say. */
async function put(ahead = 0, runs = ahead, definition = minutely()) {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await putSchedule(tables, definition, 'code', terms);
  const ids: string[] = [];
  for (let minute = 1; minute <= ahead; minute++) {
    const { id, dueAt } = planned(definition, NOON + minute * MINUTE);
    ids.push(id);
    await tables.write({ op: 'put', table: 'jobs', row: firedRow(id, dueAt) });
  }
  if (ahead > 0) {
    const [timer = {}] = tables.rows('timers');
    await tables.write({ op: 'delete', table: 'timers', key: keyOf(TABLE_SPECS.timers, timer) });
    const set = {
      lastNominal: iso(ahead),
      nextNominal: iso(ahead + 1),
      nextDue: iso(ahead + 1),
      nextId: planned(definition, NOON + (ahead + 1) * MINUTE).id,
      runs,
    };
    await tables.write({ op: 'update', table: 'control', key: KEY, set });
  }
  return { tables, ids };
}
const iso = (minute: number): string => new Date(NOON + minute * MINUTE).toISOString();
const timer = (tables: MemoryTables): RowKey => keyOf(TABLE_SPECS.timers, tables.rows('timers')[0] ?? {});
const edit = (table: 'timers' | 'control' | 'jobs', key: RowKey, set: Row = {}): Write => ({
  op: 'update',
  table,
  key,
  set,
  add: { rev: 1 },
});

/** How often a verb looks when something happens before its first transaction. */
async function looks(
  tables: MemoryTables,
  verb: (tables: Tables) => Promise<unknown>,
  meanwhile: (tables: MemoryTables) => Promise<unknown>,
) {
  const faulty = faultyTables(tables);
  faulty.before(
    (writes) => writes.length > 1,
    async () => meanwhile(tables),
  );
  const transact = vi.spyOn(faulty.tables, 'transact');
  await verb(faulty.tables);
  expect(faulty.pending()).toBe(0);
  return transact.mock.calls.length;
}

type Meanwhile = (tables: MemoryTables) => Promise<unknown>;
const write =
  (of: (tables: MemoryTables) => Write): Meanwhile =>
  async (tables) =>
    tables.write(of(tables) as never);

describe('a change of a schedule looks again when something changed since it looked', () => {
  const again = async (tables: Tables) => putSchedule(tables, minutely({ payload: { other: true } }), 'code', terms);
  const remove = async (tables: Tables) => deleteSchedule(tables, 's', 'code', terms);
  const scheduleEdited = write(() => edit('control', KEY));
  const timerEdited = write((tables) => edit('timers', timer(tables)));

  it.each<readonly [string, (tables: Tables) => Promise<unknown>, Meanwhile]>([
    ['it is put again, its row', again, scheduleEdited],
    ['it is put again, its timer', again, timerEdited],
    ['it is paused, its row', pause, scheduleEdited],
    ['it is paused, its timer', pause, timerEdited],
    ['it is deleted, its row', remove, scheduleEdited],
    ['it is deleted, its timer', remove, timerEdited],
  ])('(%s)', async (_, verb, meanwhile) => {
    expect(await looks((await put()).tables, verb, meanwhile)).toBe(2);
  });

  it('(a timer that has no count, and is gone)', async () => {
    const { tables } = await put();
    await tables.write({ op: 'update', table: 'timers', key: timer(tables), set: {}, remove: ['rev'] });
    expect(
      await looks(
        tables,
        pause,
        write((now) => ({ op: 'delete', table: 'timers', key: timer(now) })),
      ),
    ).toBe(2);
  });

  it('(another one that was put under its name)', async () => {
    const tables = createMemoryTables({ clock: new SettableClock(NOON) });
    const other = async () => putSchedule(tables, minutely({ payload: { other: true } }), 'operator', { ...terms, token: 'other' });
    expect(await looks(tables, async (seen) => putSchedule(seen, minutely(), 'code', terms), other)).toBe(2);
    expect(await readSchedule(tables, 's')).toMatchObject({ origin: 'code' });
  });

  it('(what an earlier one of its name left)', async () => {
    const { tables } = await put();
    await remove(tables);
    const left = write(() => edit('control', scheduleGoneKey('s')));
    expect(await looks(tables, async (seen) => putSchedule(seen, minutely(), 'code', terms), left)).toBe(2);
  });

  it('(one that cannot be read, and is gone)', async () => {
    const { tables } = await put();
    await tables.write({ op: 'update', table: 'control', key: KEY, set: { definition: '{' } });
    const faulty = faultyTables(tables);
    faulty.before(
      () => true,
      async () => tables.write({ op: 'delete', table: 'control', key: KEY }),
    );
    expect(await deleteSchedule(faulty.tables, 's', 'code', terms)).toBe(false);
    expect(await tables.get('control', scheduleGoneKey('s'))).toBeUndefined();
  });

  it.each([
    ['was claimed', { lockOwner: 'run/x' }, 0],
    ['was edited', {}, 1],
  ])('(an occurrence that was fired ahead and %s)', async (_, set, rev) => {
    const { tables, ids } = await put(3);
    const meanwhile = write(() => ({ op: 'update', table: 'jobs', key: { id: ids[1] ?? '' }, set, add: { rev } }));
    expect(await looks(tables, pause, meanwhile)).toBe(2);
    expect(tables.rows('jobs').map(({ id }) => id)).toEqual(rev === 1 ? [] : [ids[1]]);
  });

  it('(the cancel of its next occurrence)', async () => {
    const { tables } = await put();
    const id = String(tables.rows('timers')[0]?.['id']);
    expect(await looks(tables, async (seen) => cancel(seen, id, { token: 't', now: NOON }), scheduleEdited)).toBe(2);
    expect((await tables.get('control', KEY))?.['settled']).toBe(iso(1));
  });
});

describe('a pause', () => {
  it.each([
    [5, 7, 2],
    [5, 1, 0],
    [1, 1, 0],
  ])('takes back %i occurrences that were fired ahead, which count as runs no more', async (ahead, runs, left) => {
    const { tables } = await put(ahead, runs);
    expect(await pause(tables)).toMatchObject({ runs: left, paused: { next: NOON + MINUTE } });
    expect(await readSchedule(tables, 's')).not.toHaveProperty('lastNominal');
    expect(tables.rows('jobs')).toEqual([]);
  });

  it.each([
    ['runs', { lockOwner: 'run/x' }],
    ['has started', { starts: 1 }],
    ['was continued', { continuations: 1 }],
    ['was redriven', { errorName: 'Error', errorMessage: 'no', errorAt: iso(0) }],
  ])('goes back to the last one that cannot be taken back because it %s, before the first that can', async (_, set) => {
    const { tables, ids } = await put(5);
    for (const at of [0, 2]) await tables.write({ op: 'update', table: 'jobs', key: { id: ids[at] ?? '' }, set });
    expect(await pause(tables)).toMatchObject({ lastNominal: NOON + MINUTE, paused: { next: NOON + 2 * MINUTE } });
  });

  it('takes back what is late by its jitter and not due yet', async () => {
    const definition = minutely({ jitter: 'PT10M' });
    const late = [1, 2, 3, 4, 5]
      .map((minute) => planned(definition, NOON + minute * MINUTE))
      .find(({ nominal, dueAt }) => dueAt > nominal + MINUTE);
    if (late === undefined) throw new Error('none is late');
    const { tables } = await put(0, 0, definition);
    const seen = await readSchedule(tables, 's');
    await tables.write({ op: 'put', table: 'jobs', row: firedRow(late.id, late.dueAt) });
    const recall = await recallAhead(tables, { ...(seen as Schedule), lastNominal: late.nominal }, late.nominal + 1);
    expect(recall.back).toContain(late.nominal);
  });
});

describe('a schedule that had had its runs and gets more', () => {
  const ended = async (lastNominal: number) => {
    const tables = createMemoryTables({ clock: new SettableClock(NOON) });
    await putSchedule(tables, minutely({ maxRuns: 2 }), 'code', terms);
    await tables.write({ op: 'delete', table: 'timers', key: timer(tables) });
    const remove = ['nextId', 'nextNominal', 'nextDue'];
    await tables.write({ op: 'update', table: 'control', key: KEY, set: { runs: 2, lastNominal: iso(lastNominal) }, remove });
    return tables;
  };

  it.each([
    ['goes on from now', -60, 1],
    ['goes on behind what was fired ahead', 2, 3],
  ])('%s', async (_, last, next) => {
    const tables = await ended(last);
    expect(await putSchedule(tables, minutely({ maxRuns: 5 }), 'code', terms)).toMatchObject({ next: { nominal: NOON + next * MINUTE } });
  });
});

describe('a schedule that is deleted', () => {
  it.each<readonly [string, (tables: MemoryTables, ids: readonly string[]) => Write, number]>([
    ['its own row', () => ({ op: 'update', table: 'control', key: KEY, set: { rev: 50 } }), 0],
    ['its timer', (tables) => ({ op: 'update', table: 'timers', key: timer(tables), set: { rev: 50 } }), 0],
    [
      'an occurrence that was fired ahead',
      (_, ids) => ({ op: 'update', table: 'jobs', key: { id: ids[0] ?? '' }, set: { dispatches: 50 } }),
      2,
    ],
  ])('leaves the highest count that there was, that of %s', async (_, write50, ahead) => {
    const { tables, ids } = await put(ahead);
    await tables.write(write50(tables, ids) as never);
    expect(await deleteSchedule(tables, 's', 'code', terms)).toBe(true);
    expect((await tables.get('control', scheduleGoneKey('s')))?.['rev']).toBe(50);
  });

  it('goes also when it cannot be read, or the store would keep it forever', async () => {
    const { tables } = await put();
    await tables.write({ op: 'update', table: 'control', key: KEY, set: { definition: '{' } });
    expect(await deleteSchedule(tables, 's', 'code', terms)).toBe(true);
    expect(await tables.get('control', KEY)).toBeUndefined();
  });
});

it('the occurrence of a schedule that cannot be read is cancelled all the same', async () => {
  const { tables } = await put();
  const id = String(tables.rows('timers')[0]?.['id']);
  await tables.write({ op: 'update', table: 'control', key: KEY, set: { definition: '{' } });
  expect((await cancel(tables, id, { token: 't', now: NOON })).outcome).toBe('cancelled');
});
