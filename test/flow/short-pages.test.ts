import { describe, expect, it } from 'vitest';
import { acquireShard } from '../../functions/acquirer/acquire-shard.ts';
import { resumeSuspended } from '../../functions/sweeper/duties/resume-suspended.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { leafOf, shardOf } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { readJobActs } from '../../shared/features/audit/admin/job-acts.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { attemptRow } from '../../shared/store/attempt-rows.ts';
import { acquireLockKey } from '../../shared/store/control-rows.ts';
import { errorGroupKey } from '../../shared/features/error-groups/store/error-group-rows.ts';
import { listingKey, parkedRow } from '../../shared/store/parked-rows.ts';
import { takeLock } from '../../shared/store/take-lock.ts';
import { readJobHistory } from '../../shared/features/history/store/read-history.ts';
import { deadLetterRow } from '../../shared/store/rows.ts';
import { readRules } from '../../shared/features/rules/store/rules.ts';
import { countOpen } from '../../shared/features/error-groups/store/settle-error-group.ts';
import { addToMinute } from '../../shared/features/statistics/store/statistics-rows.ts';
import { putReport, readWorkers } from '../../shared/features/workers/store/worker-rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { shortPages } from '../support/short-pages.ts';
import { sampleJob } from '../unit/job/sample-job.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const [work, known] = [defineJob('work', { payload: anyPayload }), defineJob('known', { payload: anyPayload })];

type OfRig = (rig: Rig) => Promise<unknown>;

/** Two ids of one part of a table. */
function twoIds(rig: Rig, partOf: (id: string) => string, delay = 0): readonly string[] {
  const first = rig.client.newId({ delay });
  let second = rig.client.newId({ delay });
  while (partOf(second) !== partOf(first)) second = rig.client.newId({ delay });
  return [first, second];
}

const put = async (rig: Rig, table: 'control' | 'deadLetters' | 'history' | 'timers', row: Row) =>
  rig.tables.write({ op: 'put', table, row });
const adminOf = (rig: Rig) => createAdminOver(rig.deps);

/** What is read of two rows, of which each page has one; how they come to be, and how many were found. */
const READERS: Readonly<Record<string, readonly [OfRig, (rig: Rig) => Promise<number>]>> = {
  'the history of a job': [
    async (rig) => {
      const attempt = {
        jobId: 'j',
        type: 't',
        worker: 'w',
        attempt: 1,
        startedAt: 0,
        endedAt: 0,
        outcome: 'completed',
        requestId: 'r',
      } as const;
      for (const run of [1, 2]) await put(rig, 'history', attemptRow({ ...attempt, jobId: sampleJob().id, run }, 3));
    },
    async ({ tables }) => (await readJobHistory(tables, sampleJob().id)).attempts.length,
  ],
  'the rules': [
    async (rig) => {
      for (const type of ['a', 'b']) await adminOf(rig).suspend({ type }, { reason: 'r' });
    },
    async ({ tables }) => (await readRules(tables)).rules.suspensions.size,
  ],
  'the workers': [
    async (rig) => {
      for (const version of ['1', '2'])
        await putReport(rig.tables, { worker: 'w', version, kind: 'lambda', types: [], at: rig.clock.now() });
    },
    async ({ tables, clock }) => (await readWorkers(tables, clock.now())).length,
  ],
  'the dead letters of an error group': [
    async (rig) => {
      for (const id of twoIds(rig, leafOf))
        await put(rig, 'deadLetters', deadLetterRow({ ...sampleJob({ id }), reason: 'failed', failedAt: 0, fingerprint: 'f' }));
    },
    async ({ tables }) => (await countOpen(tables, 'f')).count,
  ],
  'the locks of the acquirer': [
    async ({ tables, clock }) => {
      const lease = { now: clock.now(), expiresAt: clock.now() + MINUTE };
      for (const shard of ['00', '01']) await takeLock(tables, acquireLockKey(shard), 'acquirer/a', lease);
    },
    async (rig) => (await adminOf(rig).acquireLocks()).length,
  ],
  'the groups that wait': [
    async (rig) => {
      for (const group of ['a', 'b']) await rig.client.enqueue(work, {}, { group });
    },
    async (rig) => ((await adminOf(rig).blockedGroups()).complete ? 2 : 1),
  ],
  'the error groups': [
    async (rig) => {
      const row = { type: 't', errorName: 'E', message: 'm', sample: 's', firstSeen: '1970-01-01T00:00:00.000Z', seen: 1 };
      for (const fingerprint of ['f', 'g']) await put(rig, 'control', { ...errorGroupKey(fingerprint), ...row, lastSeen: row.firstSeen });
    },
    async (rig) => (await adminOf(rig).errorGroups()).groups.length,
  ],
  'the types of which jobs failed': [
    async (rig) => {
      const row = { errorName: 'E', message: 'm', sample: 's', firstSeen: '1970-01-01T00:00:00.000Z', seen: 1 };
      for (const type of ['t', 'u']) await put(rig, 'control', { ...errorGroupKey(type), ...row, type, lastSeen: row.firstSeen });
    },
    async (rig) => (await adminOf(rig).types()).types.length,
  ],
  'what operators did to a job': [
    async (rig) => {
      const { id } = await rig.client.enqueue(work, {});
      for (const priority of [1, 2]) await adminOf(rig).setPriority(id, priority);
    },
    async (rig) => {
      const [row = {}] = await rig.rows('jobs');
      const until = rig.clock.now();
      return (await readJobActs(rig.tables, String(row['id']), { from: until, until })).acts.length;
    },
  ],
  'the limits under which jobs are parked': [
    async (rig) => {
      for (const [at, id] of twoIds(rig, () => '').entries()) {
        await put(rig, 'control', { ...listingKey(`h${at}`), limit: 'l', n: 1, seenAt: '1970-01-01T00:00:00.000Z' });
        await put(rig, 'timers', parkedRow(sampleJob({ id }), `h${at}`, 0));
      }
    },
    async (rig) => (await adminOf(rig).list({ state: 'parked' })).jobs.length,
  ],
  'the minutes of the statistics': [
    async ({ tables, clock }) => {
      for (const back of [0, MINUTE]) await addToMinute(tables, 'all', clock.now() - back, { started: 1 });
    },
    async (rig) => (await adminOf(rig).statistics({ worker: 'all' })).length,
  ],
  'the timers of a shard': [
    async (rig) => {
      for (const id of twoIds(rig, shardOf, HOUR)) await rig.client.enqueue(work, {}, { id });
      await rig.clock.advance(HOUR);
    },
    async (rig) => {
      const until = rig.clock.now() + MINUTE;
      const [row = {}] = await rig.rows('timers');
      return (await acquireShard(rig.deps, String(row['shard']), { stopAt: until, lockUntil: until })).fired;
    },
  ],
  'the jobs whose suspension is over': [
    async (rig) => {
      await adminOf(rig).suspend({ type: 'known' }, { reason: 'r' });
      for (const id of twoIds(rig, leafOf)) await rig.client.enqueue(known, {}, { id });
      await rig.drain();
      await adminOf(rig).resume({ type: 'known' });
    },
    async (rig) => resumeSuspended({ ...rig.deps, backlog: rig.hints }, rig.clock.now() + MINUTE),
  ],
  'the jobs that are held for one cause': [
    async (rig) => {
      for (const id of twoIds(rig, leafOf)) await rig.client.enqueue(work, {}, { id });
      await rig.drain();
      await rig.clock.advance(2 * MINUTE);
    },
    async (rig) => resumeSuspended({ ...rig.deps, backlog: rig.hints }, rig.clock.now() + MINUTE),
  ],
};

describe('although DynamoDB gives a page for each row', () => {
  it.each(Object.entries(READERS))('all are found: %s', async (_, [prepare, found]) => {
    const rig = new Rig({ handlers: [known.handle(() => undefined)] });
    await prepare(rig);
    const tables = shortPages(rig.tables);
    const short = Object.assign(Object.create(rig) as Rig, { tables, deps: { ...rig.deps, tables } });
    expect(await found(short)).toBe(2);
  });
});
