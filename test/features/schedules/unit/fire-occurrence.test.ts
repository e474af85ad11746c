import { expect, it, vi } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { planFiring } from '../../../../shared/features/schedules/model/schedule.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { keyOf, TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { firing } from '../../../../shared/store/fire.ts';
import { fireOccurrence } from '../../../../shared/features/schedules/store/fire-occurrence.ts';
import { decodeJob } from '../../../../shared/store/job-codec.ts';
import { jobRow } from '../../../../shared/store/rows.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { putSchedule } from '../../../../shared/features/schedules/store/schedules.ts';
import { anyPayload } from '../../../support/rig.ts';
import { NOON, readyJob } from '../../../unit/job/sample-job.ts';

const HOUR = 3_600_000;
const terms = { token: 't', now: NOON, lanesOf: () => undefined };
const nightly = defineSchedule('nightly', { job: defineJob('report', { payload: anyPayload }), payload: {}, cron: '0 0 * * *' });

/** What comes of firing the next occurrence of a schedule after something else happened. */
async function fired(...meanwhile: readonly ('timer' | 'schedule' | 'job' | 'conflict')[]) {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  const schedule = await putSchedule(tables, nightly, 'code', terms);
  const [row = {}] = tables.rows('timers');
  const key = keyOf(TABLE_SPECS.timers, row);
  const timer = decodeJob(row);
  const twin: Row = jobRow(readyJob({ id: timer.id, rev: 99 }));
  const edit = { op: 'update', set: {}, add: { rev: 1 } } as const;
  if (meanwhile.includes('timer')) await tables.write({ ...edit, table: 'timers', key });
  if (meanwhile.includes('schedule')) await tables.write({ ...edit, table: 'control', key: scheduleKey('nightly') });
  if (meanwhile.includes('job')) await tables.write({ op: 'put', table: 'jobs', row: twin });
  const transact = vi.spyOn(tables, 'transact');
  const conflict: typeof tables.transact = async (writes) => ({
    applied: false,
    attempts: 1,
    reasons: writes.map(() => ({ code: 'conflict' })),
  });
  if (meanwhile.includes('conflict')) transact.mockImplementationOnce(conflict);
  const before = JSON.stringify([tables.rows('timers'), tables.rows('control'), tables.rows('jobs')]);
  const one = firing(timer, { ...terms, redispatchAfterMs: HOUR }, key);
  const outcome = await fireOccurrence(tables, one, { schedule, plan: planFiring(schedule, schedule.next as never, NOON) }, terms);
  const same = JSON.stringify([tables.rows('timers'), tables.rows('control'), tables.rows('jobs')]) === before;
  return { outcome, same, tries: transact.mock.calls.length, twin: await tables.get('jobs', { id: timer.id }), tables };
}

it.each([
  ['its timer was taken', ['timer'], 'gone'],
  ['its timer was taken and its schedule has gone on', ['timer', 'schedule'], 'gone'],
  ['its timer was taken and its job is there', ['timer', 'job'], 'gone'],
  ['its schedule is another', ['schedule'], 'changed'],
  ['its schedule is another and its job is there', ['schedule', 'job'], 'changed'],
] as const)('an occurrence is not fired when %s, and not tried once more', async (_, meanwhile, result) => {
  expect(await fired(...meanwhile)).toMatchObject({ outcome: { result }, same: true, tries: 1 });
});

it('an occurrence whose job lies ready already is not put twice: its schedule goes on', async () => {
  const { outcome, twin, tables } = await fired('job');
  expect(outcome).toMatchObject({ result: 'fired', ran: false });
  expect(twin?.['rev']).toBe(99);
  expect(tables.rows('timers')).toHaveLength(1);
});

it('an occurrence is not left out because another transaction is in the way', async () => {
  const { outcome, same, tries } = await fired('conflict');
  expect({ outcome, same, tries }).toEqual({ outcome: { result: 'changed' }, same: true, tries: 1 });
});

it('an occurrence that is fired puts its job and the next timer', async () => {
  const { outcome, tables } = await fired();
  expect(outcome).toMatchObject({ result: 'fired', ran: true });
  expect([tables.rows('jobs').length, tables.rows('timers').length]).toEqual([1, 1]);
});
