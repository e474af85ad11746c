import { describe, expect, it } from 'vitest';
import type { JobId } from '../../../shared/job/job-id.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { defineSchedule } from '../../../shared/features/schedules/model/definition.ts';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables, type MemoryTables } from '../../../shared/adapters/memory/tables.ts';
import { keyOf, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import { resume } from '../../../shared/store/resume.ts';
import { addChildren } from '../../../shared/features/batches/store/add-children.ts';
import { beginBulk, saveBulk, takeBulk } from '../../../operate/bulk/bulk-rows.ts';
import { cancel, endAsCancelled } from '../../../shared/store/cancel.ts';
import { changeLocated } from '../../../shared/store/change-located.ts';
import { createAdminOver } from '../../../operate/admin.ts';
import { removeOld } from '../../../shared/features/retention/store/remove-old.ts';
import { markSwitched } from '../../../shared/features/rules/store/switched-off.ts';
import { putPriority } from '../../../shared/features/rules/store/change-rules.ts';
import { complete } from '../../../shared/store/complete.ts';
import { createBatchRows } from '../../../shared/features/batches/store/create-batch.ts';
import { create } from '../../../shared/store/create.ts';
import { deleteJob } from '../../../shared/store/delete-job.ts';
import { endAsSkipped } from '../../../shared/features/schedules/store/end-as-skipped.ts';
import { fireOccurrence } from '../../../shared/features/schedules/store/fire-occurrence.ts';
import { fire, firing } from '../../../shared/store/fire.ts';
import { parkedRow } from '../../../shared/store/parked-rows.ts';
import { repairSchedule } from '../../../shared/features/schedules/store/repair-schedule.ts';
import { runAgainLater } from '../../../shared/store/run-again-later.ts';
import { park } from '../../../shared/store/park.ts';
import { quarantine } from '../../../shared/store/quarantine.ts';
import { redrive } from '../../../shared/store/redrive.ts';
import { handOver } from '../../../shared/features/limits/store/release-parked.ts';
import { reschedule } from '../../../shared/store/reschedule.ts';
import { deadLetterRow, jobRow } from '../../../shared/store/rows.ts';
import { scheduleKey } from '../../../shared/features/schedules/store/schedule-rows.ts';
import { deleteSchedule, putSchedule, readSchedule } from '../../../shared/features/schedules/store/schedules.ts';
import { tellBatch } from '../../../shared/features/batches/store/tell-batch.ts';
import { transactEnding } from '../../../shared/store/transact-ending.ts';
import { anyPayload, Rig } from '../../support/rig.ts';
import { idOf } from '../../support/job-rows.ts';
import { NOON, readyJob, sampleJob } from '../job/sample-job.ts';

const HOUR = 3_600_000;

/** What a call is about, and what it is given. */
interface About {
  readonly id: JobId;
  readonly rev: number;
  readonly token: string;
  readonly owner: string;
  readonly name: string;
  readonly count: number;
  readonly at: number;
}

type Call = (tables: Tables, about: About) => Promise<unknown>;

const ONE: About = { id: idOf(1), rev: 2, token: 'one', owner: 'run/one', name: 'one', count: 1, at: NOON };
const OTHER: About = { id: idOf(2), rev: 3, token: 'other', owner: 'run/other', name: 'other', count: 2, at: NOON + 1 };

const terms = (token: string) => ({ token, now: NOON, redispatchAfterMs: HOUR, delayHorizonMs: HOUR });
const schedules = (token: string) => ({ token, now: NOON, lanesOf: () => undefined });
const held = ({ id, rev, owner }: About) => readyJob({ id, rev, lockOwner: owner, key: 'k' });
const limit = { hash: 'h', name: 'l', n: 1 };
const step = ({ id, count, at, owner }: About) => ({
  row: { id, state: '{}', steps: count, updatedAt: at, lockOwner: owner },
  met: [],
  records: [],
});
const nightly = (name: string) =>
  defineSchedule(name, { job: defineJob('report', { payload: anyPayload }), payload: {}, cron: '0 0 * * *', zone: 'UTC' });
const head = (id: string) =>
  ({ id, state: 'sealed', leaves: 1, maxFailures: 0, createdAt: NOON, sealedAt: NOON, callbacks: [], fired: [] }) as const;
const die: Call = async (tables, { id, rev }) => {
  const dead = { ...sampleJob({ id, rev }), reason: 'failed', failedAt: NOON, fingerprint: 'f' } as const;
  await tables.write({ op: 'put', table: 'deadLetters', row: deadLetterRow(dead) });
};
const timerOf = (about: About) => ({ ...firing(sampleJob(), terms('t'), { shard: '00', due: 'd' }), job: held(about) });
const row = (about: About) => ({ ...jobRow(held(about)), shard: '00', due: 'd', payload: 7 });

type Part = keyof About | 'look';

const plan: Call = async (tables, { name }) => putSchedule(tables, nightly(name), 'code', schedules('put'));

/** Every call that makes a transaction, what of it must be in the token, and what was there before. `look`: asked again after a lost race. */
const CALLS: Readonly<Record<string, readonly [Call, readonly Part[], (Call | undefined)?]>> = {
  resume: [
    async (tables, { id, rev, token }) =>
      resume(tables, { ...sampleJob({ id, rev }), cause: 'c', suspendedAt: NOON, from: 'jobs' }, terms(token)),
    ['id', 'rev', 'token'],
  ],
  addChildren: [async (tables, { id, name, token }) => addChildren(tables, id, [], { token, known: [name] }), ['id', 'name', 'token']],
  beginBulk: [async (tables, about) => beginBulk(tables, step(about)), ['id']],
  saveBulk: [async (tables, about) => saveBulk(tables, step(about), about.owner), ['id', 'owner', 'count', 'at']],
  takeBulk: [async (tables, about) => takeBulk(tables, { ...step(ONE).row, id: about.id }, step(about)), ['id', 'owner']],
  cancel: [async (tables, { id, token }) => cancel(tables, id, { token, now: NOON }), ['id', 'token', 'look']],
  endAsCancelled: [
    async (tables, about) =>
      endAsCancelled(tables, held(about), 'owner', { token: about.token, now: NOON, cancelReason: about.name, cancelledBy: 'me' }),
    ['id', 'owner', 'token', 'name'],
  ],
  changeLocated: [
    async (tables, { id, name: verb, token }) =>
      changeLocated(tables, id, { verb, token }, () => ({
        writes: [{ op: 'delete', table: 'jobs', key: { id } }],
        answer: true,
      })),
    ['id', 'name', 'token', 'look'],
  ],
  putPriority: [
    async (tables, { name, token }) =>
      putPriority(
        tables,
        { scope: 'type#t', priority: 1, actor: 'me', at: NOON, cascade: false },
        { verb: 'priority', scope: name, token, records: [] },
      ),
    ['name', 'token'],
  ],
  'another change of the rules': [
    async (tables, { name, token }) =>
      putPriority(
        tables,
        { scope: 'type#t', priority: 1, actor: 'me', at: NOON, cascade: false },
        { verb: name, scope: 'type#t', token, records: [] },
      ),
    ['name', 'token'],
  ],
  'a change of retention': [
    async (tables, { name, count, token }) => {
      const { deps } = new Rig({ tables, clock: new SettableClock(NOON) });
      const admin = createAdminOver({ ...deps, entropy: { ...deps.entropy, token: () => token } });
      return count === 1 ? admin.setRetention({ type: name }, 30) : admin.clearRetention({ type: name });
    },
    ['name', 'count', 'token'],
    async (tables, { name }) =>
      tables.write({ op: 'put', table: 'control', row: { pk: 'acquire', sk: `retention#type#${name}`, days: 7 } }),
  ],
  removeOld: [
    async (tables, { id, rev, token }) => removeOld(tables, { id, rev, fingerprint: 'f' }, { token, records: [] }),
    ['id', 'token'],
  ],
  markSwitched: [
    async (tables, { name, count, token }) => markSwitched(tables, undefined, { verb: name, scope: String(count), token, records: [] }),
    ['name', 'count', 'token'],
  ],
  complete: [async (tables, about) => complete(tables, held(about), { token: about.token, now: () => NOON }), ['id', 'owner', 'token']],
  createBatch: [
    async (tables, { id, token }) => createBatchRows(tables, { head: head(id), callbacks: [], counted: [], token }),
    ['id', 'token'],
  ],
  create: [
    async (tables, { id, token }) => create(tables, { job: readyJob({ id }), ready: true, ownId: true, token }, NOON, {}),
    ['id', 'token'],
  ],
  deleteJob: [async (tables, { id, token }) => deleteJob(tables, id, { token, now: NOON }, () => []), ['id', 'token', 'look'], die],
  endAsSkipped: [
    async (tables, about) => endAsSkipped(tables, held(about), { schedule: 'gone' }, { token: about.token, now: NOON }),
    ['id', 'owner', 'token'],
  ],
  'repairSchedule, where the timer is gone': [
    async (tables, { name, token }) => repairSchedule(tables, name, schedules(token)),
    ['name', 'rev', 'token'],
    async (tables, about) => {
      await plan(tables, about);
      for (const row of (tables as MemoryTables).rows('timers'))
        await tables.write({ op: 'delete', table: 'timers', key: keyOf(TABLE_SPECS.timers, row) });
      await tables.write({ op: 'update', table: 'control', key: scheduleKey(about.name), set: { rev: about.rev } });
    },
  ],
  fire: [async (tables, about) => fire(tables, [timerOf(about)]), ['id', 'rev', 'owner']],
  fireOccurrence: [
    async (tables, about) => {
      const schedule = await readSchedule(tables, ONE.name);
      if (schedule === undefined) throw new Error('there is a schedule');
      const step = { schedule: { ...schedule, rev: about.rev }, plan: { run: about.count === 1, missed: 0 } };
      return fireOccurrence(tables, timerOf(about), step, schedules('fire'));
    },
    ['id', 'rev', 'owner', 'count'],
    plan,
  ],
  park: [async (tables, about) => park(tables, held(about), { limit, now: NOON }), ['id', 'rev', 'owner']],
  runAgainLater: [async (tables, about) => runAgainLater(tables, held(about), { dueAt: about.at }), ['id', 'rev', 'owner', 'at']],
  quarantine: [
    async (tables, about) => {
      const table = about.count === 1 ? 'jobs' : 'timers';
      return quarantine(tables, table, row(about), { error: new Error('e'), now: about.at });
    },
    ['id', 'count', 'at'],
  ],
  redrive: [
    async (tables, { id, token }) => redrive(tables, id, { ...terms(token), workers: new Set([sampleJob().worker]) }),
    ['id', 'rev', 'token'],
    die,
  ],
  release: [
    async (tables, { token }) => {
      const { deps } = new Rig({ tables, clock: new SettableClock(NOON) });
      const entropy = { ...deps.entropy, token: () => token };
      return handOver({ ...deps, entropy }, held(ONE), { limit, index: 0, until: NOON });
    },
    ['id', 'rev', 'token'],
    async (tables, { id, rev }) => tables.write({ op: 'put', table: 'timers', row: parkedRow(sampleJob({ id, rev }), limit.hash, NOON) }),
  ],
  reschedule: [async (tables, { id, token }) => reschedule(tables, id, NOON, terms(token)), ['id', 'token', 'look']],
  putSchedule: [async (tables, { name, token }) => putSchedule(tables, nightly(name), 'code', schedules(token)), ['name', 'token', 'look']],
  'putSchedule, again': [
    async (tables, { name, token }) => putSchedule(tables, { ...nightly(name), payload: '1' }, 'code', schedules(token)),
    ['name', 'rev', 'token', 'look'],
    async (tables, about) => {
      await plan(tables, about);
      await tables.write({ op: 'update', table: 'control', key: scheduleKey(about.name), set: { rev: about.rev } });
    },
  ],
  deleteSchedule: [
    async (tables, { name, token }) => deleteSchedule(tables, name, 'code', schedules(token)),
    ['name', 'token', 'look'],
    plan,
  ],
  tellBatch: [
    async (tables, { id, token, count }) =>
      tellBatch(
        tables,
        { head: { ...head(id), parent: 'p', parentLeaf: 0 }, counting: [] },
        { due: count === 1 ? ['failed'] : ['failed', 'completed'], forParent: 'failed' },
        terms(token),
      ),
    ['id', 'token', 'count'],
  ],
  'tellBatch, of its outcome': [
    async (tables, { token, count }) =>
      tellBatch(
        tables,
        { head: { ...head('b'), parent: 'p', parentLeaf: 0 }, counting: [] },
        { due: [], forParent: count === 1 ? 'failed' : 'succeeded' },
        terms(token),
      ),
    ['token', 'count'],
  ],
  'an ending that leaves something out': [
    async (tables, { id, token, count }) =>
      transactEnding(tables, {
        id,
        fences: [{ op: 'delete', table: 'jobs', key: { id } }],
        writes: [],
        key: 'k',
        token,
        leftOut: new Set([0, count]),
      }),
    ['token', 'count'],
  ],
  'an ending that planned its cancels again': [
    async (tables, { id, token, count }) =>
      transactEnding(tables, {
        id,
        fences: [{ op: 'delete', table: 'jobs', key: { id } }],
        writes: [],
        key: undefined,
        token,
        cancels: { writes: [], looks: count + 1, plan: async () => {} },
      }),
    ['token', 'count'],
  ],
};

/** The tokens of a call's transactions, of which the first `refused` meet a row that has changed. Nothing is written. */
async function tokensOf([call, , before]: (typeof CALLS)[string], about: About, refused = 0): Promise<readonly string[]> {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  for (const { id } of [ONE, OTHER]) await tables.write({ op: 'put', table: 'jobs', row: jobRow(readyJob({ id })) });
  await before?.(tables, about);
  const tokens: string[] = [];
  tables.transact = async (writes, token) => {
    tokens.push(token);
    if (tokens.length > refused) return { applied: true, attempts: 1 };
    return { applied: false, attempts: 1, reasons: writes.map((_, at) => ({ code: at === 0 ? 'condition' : 'none' })) };
  };
  await call(tables, about);
  return tokens;
}

const EACH = Object.entries(CALLS).map(([verb, [call, parts, before]]) => ({ verb, parts, it: [call, parts, before] as const }));
const PARTS = EACH.flatMap(({ verb, parts, it: one }) => parts.map((part) => ({ verb, part, it: one })));

/** DynamoDB takes two transactions with one token for one: the second is not applied, or refused. */
describe('the token of a transaction', () => {
  it.each(EACH)('is the same for the same call, which may be repeated ($verb)', async ({ it: one }) => {
    const tokens = await tokensOf(one, ONE);
    expect(tokens).toHaveLength(1);
    expect(await tokensOf(one, ONE)).toEqual(tokens);
  });

  it.each(PARTS.filter(({ part }) => part !== 'look'))('is another one with another $part ($verb)', async ({ part, it: one }) => {
    expect(await tokensOf(one, { ...ONE, [part]: OTHER[part as keyof About] })).not.toEqual(await tokensOf(one, ONE));
  });

  it.each(PARTS.filter(({ part }) => part === 'look'))(
    'is another one when it looks again after a lost race ($verb)',
    async ({ it: one }) => {
      expect(new Set(await tokensOf(one, ONE, 1)).size).toBe(2);
    },
  );
});
