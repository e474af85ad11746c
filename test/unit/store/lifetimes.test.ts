import { describe, expect, it } from 'vitest';
import { jobIdFrom } from '../../../shared/job/job-id.ts';
import { createMemoryTables, type MemoryTables } from '../../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { attemptRow } from '../../../shared/store/attempt-rows.ts';
import { auditRow } from '../../../shared/features/audit/store/audit.ts';
import { beginBulk } from '../../../operate/bulk/bulk-rows.ts';
import { complete } from '../../../shared/store/complete.ts';
import { lockRow, movedRow, uniqueKeyRow } from '../../../shared/store/control-rows.ts';
import { firstGroupRow } from '../../../shared/features/error-groups/store/error-group-rows.ts';
import { eventLogSink } from '../../../shared/features/events/store/event-log.ts';
import { writeHeartbeat } from '../../../shared/store/heartbeat.ts';
import { parkedPointerRow } from '../../../shared/store/parked-rows.ts';
import { slotRow } from '../../../shared/features/limits/store/slot-rows.ts';
import { historyRow, jobRow } from '../../../shared/store/rows.ts';
import { suspensionRow } from '../../../shared/features/rules/store/rules.ts';
import { scheduleGoneRow } from '../../../shared/features/schedules/store/schedule-rows.ts';
import { addToMinute } from '../../../shared/features/statistics/store/statistics-rows.ts';
import { putReport } from '../../../shared/features/workers/store/worker-rows.ts';
import { idOf } from '../../support/job-rows.ts';
import { NOON, readyJob, sampleJob } from '../job/sample-job.ts';

const DAY = 86_400_000;
const LATER = NOON + 7_500;
const key = { pk: 'p', sk: 's' };
const error = { fingerprint: 'f', type: 't', errorName: 'E', message: 'm', id: idOf(1), at: LATER };
const attempt = {
  jobId: idOf(1),
  run: 1,
  type: 't',
  worker: 'w',
  attempt: 1,
  startedAt: NOON,
  endedAt: LATER,
  outcome: 'completed',
  requestId: 'r',
} as const;

/** The row that a call writes. */
async function written(call: (tables: MemoryTables) => Promise<unknown>, table: 'control' | 'history' = 'control'): Promise<Row> {
  const tables = createMemoryTables({ clock: new SettableClock(LATER) });
  await call(tables);
  return tables.rows(table)[0] ?? {};
}

const ROWS: readonly (readonly [string, () => Row | Promise<Row>, number])[] = [
  ['a lock, a day beyond its end', () => lockRow(key, 'run/x', { now: NOON, expiresAt: LATER }), LATER + DAY],
  ['a slot, a day beyond its end', () => slotRow({ hash: 'h', name: 'l' }, { index: 0, owner: 'o', until: LATER }), LATER + DAY],
  ['a key for a stated time, a day beyond it', () => uniqueKeyRow('h', idOf(1), LATER), LATER + DAY],
  ['a suspension, a day beyond its end', () => suspensionRow({ scope: 'all', reason: '', actor: '', at: NOON, until: LATER }), LATER + DAY],
  ['the pointer to a timer that was moved on, 35 days beyond it', () => movedRow(jobIdFrom(NOON, 'x'), LATER), LATER + 35 * DAY],
  [
    'the pointer to a timer that was moved back, 35 days beyond its first time',
    () => movedRow(jobIdFrom(LATER, 'x'), NOON),
    LATER + 35 * DAY,
  ],
  ['the pointer to a parked job, 400 days', () => parkedPointerRow(idOf(1), 'h', LATER), LATER + 400 * DAY],
  ['what a schedule leaves, 35 days', () => scheduleGoneRow('s', { rev: 1, settled: [NOON] }, LATER), LATER + 35 * DAY],
  [
    'what a schedule leaves, 35 days beyond what it fired ahead',
    () => scheduleGoneRow('s', { rev: 1, settled: [NOON, LATER] }, NOON),
    LATER + 35 * DAY,
  ],
  ['an error group, 400 days after it was last seen', () => firstGroupRow(error, 1), LATER + 400 * DAY],
  ['who did what, 400 days', () => auditRow({ verb: 'v', actor: 'a', at: LATER }, 't'), LATER + 400 * DAY],
  [
    'a bulk action, 30 days',
    async () => written(async (tables) => beginBulk(tables, { row: { id: 'b', state: '', steps: 0, updatedAt: LATER }, records: [] })),
    LATER + 30 * DAY,
  ],
  ['a heartbeat, 30 days', async () => written(async (tables) => writeHeartbeat(tables, 'sweeper', LATER, { swept: 1 })), LATER + 30 * DAY],
  [
    'a minute of the statistics, 8 days',
    async () => written(async (tables) => addToMinute(tables, 'w', LATER, { started: 1 })),
    LATER + 8 * DAY,
  ],
  [
    'the report of a worker, 30 days',
    async () => written(async (tables) => putReport(tables, { worker: 'w', version: 'v', kind: 'lambda', types: [], at: LATER })),
    LATER + 30 * DAY,
  ],
  [
    'a result, a day beyond the time that was asked for',
    async () =>
      written(async (tables) => {
        const job = readyJob();
        await tables.write({ op: 'put', table: 'jobs', row: jobRow(job) });
        await complete(tables, job, { now: () => LATER, extras: { followUps: [], items: [], result: { json: '1', keepMs: 2 * DAY } } });
      }),
    LATER + 3 * DAY,
  ],
];

describe('a row that is not kept forever', () => {
  it.each(ROWS)('is kept as long as it may be asked for: %s', async (_, row, until) => {
    expect((await row())['expiresAt']).toBe(Math.ceil(until / 1000));
  });

  it('is kept in History for the days of the deployment', async () => {
    const { payload: _payload, ...job } = sampleJob();
    expect(historyRow({ ...job, outcome: 'completed', finishedAt: LATER }, 3)['expiresAt']).toBe(Math.floor((LATER + 3 * DAY) / 1000));
    expect(attemptRow(attempt, 3)['expiresAt']).toBe(Math.floor((LATER + 3 * DAY) / 1000));
    const event = { id: 'e', event: 'completed', at: NOON, job: { id: idOf(1), type: 't', worker: 'w', attempt: 1 } } as const;
    const log = async (tables: MemoryTables) => eventLogSink({ tables, clock: new SettableClock(LATER), days: 3 }).put([event]);
    expect((await written(log, 'history'))['expiresAt']).toBe(Math.floor((LATER + 3 * DAY) / 1000));
  });
});
