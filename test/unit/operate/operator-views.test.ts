import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../operate/admin.ts';
import { viewOfRow } from '../../../operate/jobs/view-row.ts';
import { defined } from '../../../shared/job/defined.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { groupHash } from '../../../shared/job/hint.ts';
import { defineSchedule } from '../../../shared/features/schedules/model/definition.ts';
import { iso } from '../../../shared/job/instant.ts';
import type { Row } from '../../../shared/ports/tables.ts';
import { acquireLockKey, groupLockKey, lockRow } from '../../../shared/store/control-rows.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { limitPartition, listingKey } from '../../../shared/store/parked-rows.ts';
import { scheduleKey } from '../../../shared/features/schedules/store/schedule-rows.ts';
import { addToMinute, STATISTICS_DAYS } from '../../../shared/features/statistics/store/statistics-rows.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const account = defineJob('account', { payload: anyPayload, group: ({ of }) => String(of) });

function stage() {
  const rig = new Rig();
  const put = async (...rows: readonly Row[]) => rig.tables.putAll('control', rows);
  return { rig, admin: createAdminOver(rig.deps), put, now: rig.clock.now() };
}

describe('a job as it is shown', () => {
  it.each([
    [3, 3],
    [-3, 1],
    ['two', 1],
    [undefined, 1],
  ])('has a version of its payload, the first where its row says nonsense: %s', (schemaVersion, shown) => {
    const row = { id: '019b76da-a800-7e8d-8a2a-b3c624e3443e', payload: '{}', lockOwner: 'queue/0/x', ...defined({ schemaVersion }) };
    expect(viewOfRow('jobs', row, true).schemaVersion).toBe(shown);
  });
});

describe('the locks of acquirers', () => {
  it('are shown with who holds them, since when and until when, and those that a dead one left as expired', async () => {
    const { admin, put, now } = stage();
    const held = { now: now - SECOND, expiresAt: now + 1 };
    await put(lockRow(acquireLockKey('00'), 'run/live', held), lockRow(acquireLockKey('01'), 'run/dead', { ...held, expiresAt: now }), {
      ...acquireLockKey('02'),
      lockOwner: 'run/damaged',
      lockExpiresAt: 'soon',
    });
    const takenAt = new Date(now - SECOND);
    expect(await admin.acquireLocks()).toEqual([
      { shard: '00', lockOwner: 'run/live', takenAt, lockExpiresAt: new Date(now + 1), expired: false },
      { shard: '01', lockOwner: 'run/dead', takenAt, lockExpiresAt: new Date(now), expired: true },
      { shard: '02', lockOwner: 'run/damaged', expired: true },
    ]);
  });
});

describe('the groups that are blocked', () => {
  it('come with the longest queue first, each with the job that waits longest, and no damaged row hides them', async () => {
    const { rig, admin, put, now } = stage();
    for (const of of ['a', 'c', 'c', 'c', 'b', 'b']) {
      await rig.client.enqueue(account, { of });
      await rig.clock.advance(SECOND);
    }
    const lock = { now, expiresAt: now + MINUTE };
    await put(...['a', 'b', 'c'].map((group) => lockRow(groupLockKey(groupHash(group)), 'run/x', lock)));
    const { id } = await rig.client.enqueue(account, { of: 'a' });
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { dueAt: 'soon' } });
    const { groups } = await admin.blockedGroups();
    expect(groups.map(({ group, waiting, oldestDueAt }) => [group, waiting, oldestDueAt.getTime() - now])).toEqual([
      ['c', 3, SECOND],
      ['b', 2, 4 * SECOND],
      ['a', 1, 0],
    ]);
  });
});

describe('a list of schedules', () => {
  it('names a row that is no schedule, and shows the others', async () => {
    const { admin, put } = stage();
    await admin.schedules.put(defineSchedule('good', { job: account, payload: {}, cron: '@daily' }));
    await put({ ...scheduleKey('bad'), definition: 7 });
    const { schedules, unreadable } = await admin.schedules.list();
    expect([schedules.map(({ name }) => name), unreadable]).toEqual([['good'], ['bad']]);
  });
});

describe('the occurrences of a schedule that are to come', () => {
  it('are shown up to a thousand, also where one of them is not to come again', async () => {
    const { rig, admin, now } = stage();
    await admin.schedules.put(defineSchedule('hourly', { job: account, payload: {}, cron: '@hourly' }));
    const [first, second] = (await admin.schedules.preview('hourly', { count: 2 })) ?? [];
    const set = { settled: iso(first?.at.getTime() ?? now) };
    await rig.tables.write({ op: 'update', table: 'control', key: scheduleKey('hourly'), set });
    const shown = (await admin.schedules.preview('hourly', { count: 1_000 })) ?? [];
    expect([shown.length, shown[0]?.at]).toEqual([999, second?.at]);
  });
});

describe('the limits under which jobs are parked', () => {
  it('come with the longest line first', async () => {
    const { rig, admin, put } = stage();
    for (const [limit, parked] of [
      ['few', 1],
      ['most', 3],
      ['some', 2],
    ] as const) {
      await put({ ...listingKey(limit), limit, n: 1 });
      const line = Array.from({ length: parked }, (_, n) => ({ shard: limitPartition(limit), due: String(n) }));
      await rig.tables.putAll('timers', line);
    }
    expect((await admin.limits()).limits.map(({ limit, parked }) => [limit, parked])).toEqual([
      ['most', 3],
      ['some', 2],
      ['few', 1],
    ]);
  });
});

describe('statistics', () => {
  it('are not asked for of days of which none are kept', async () => {
    const { rig, now } = stage();
    const days = new Set<string>();
    const query: typeof rig.tables.query = async (given) => (days.add(given.partition.slice(-10)), rig.tables.query(given));
    const admin = createAdminOver({ ...rig.deps, tables: { ...rig.tables, query } });
    expect(await admin.statistics({ from: new Date(now - 100 * 24 * 60 * MINUTE) })).toEqual([]);
    expect(days.size).toBe(STATISTICS_DAYS + 1);
  });

  it('come in order, and add up what several workers did in a minute', async () => {
    const { rig, admin } = stage();
    await rig.clock.advance(10 * MINUTE);
    const now = rig.clock.now();
    const sums = (started: number, runMs: number) => ({ started, runs: 1, runMs });
    await addToMinute(rig.tables, 'default', now, sums(3, 100));
    await addToMinute(rig.tables, 'all', now, sums(4, 300));
    await addToMinute(rig.tables, 'all', now - 2 * MINUTE, sums(1, 1));
    const minute = { at: new Date(iso(now).replace(/\d\d\.\d{3}Z/, '00.000Z')), started: 7, runMs: 200 };
    expect(await admin.statistics()).toMatchObject([{ started: 1 }, minute]);
    expect(await admin.statistics({ to: new Date(now - MINUTE) })).toMatchObject([{ started: 1 }]);
  });
});
