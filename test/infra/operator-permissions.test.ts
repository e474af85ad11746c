import { beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS, type Role, type TableAction } from '../../infra/permissions.ts';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import type { JobState } from '../../shared/job/job.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { fail } from '../../shared/job/verdict.ts';
import type { Backlog } from '../../shared/ports/hints.ts';
import type { TableName, Tables, Write } from '../../shared/ports/tables.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { movedKey, uniqueKeyKey } from '../../shared/store/control-rows.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const ACTIONS: Readonly<Record<Write['op'], TableAction>> = {
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  check: 'ConditionCheckItem',
};

function noting(inner: Tables, used: Set<string>): Tables {
  const note = (table: TableName, action: string): void => void used.add(`${table} ${action}`);
  return {
    get: async (table, key) => (note(table, 'GetItem'), inner.get(table, key)),
    write: async (write, window) => (note(write.table, ACTIONS[write.op]), inner.write(write, window)),
    async transact(writes, token, terms) {
      for (const write of writes) note(write.table, ACTIONS[write.op]);
      return inner.transact(writes, token, terms);
    },
    putAll: async (table, rows, window) => (note(table, 'BatchWriteItem'), inner.putAll(table, rows, window)),
    query: async (query) => (note(query.table, query.index === undefined ? 'Query' : `index ${query.index}`), inner.query(query)),
    scan: async (scan) => (note(scan.table, 'Scan'), inner.scan(scan)),
  };
}

/** What the code of a role may do with rows; doctor asks how tables are set up, and people ask by PartiQL. */
function granted(role: Role): readonly string[] {
  const { tables, indexes } = PERMISSIONS[role];
  return [
    ...Object.entries(tables).flatMap(([table, actions]) =>
      actions.filter((action) => !action.startsWith('Describe') && action !== 'PartiQLSelect').map((action) => `${table} ${action}`),
    ),
    ...Object.entries(indexes ?? {}).flatMap(([table, names]) => names.map((name) => `${table} index ${name}`)),
  ];
}

const work = defineJob('work', { payload: anyPayload });
const narrow = defineJob('narrow', { payload: anyPayload, limits: [defineLimit('narrow', { concurrency: 1 })] });
const unknown = defineJob('unknown', { payload: anyPayload });
const STATES: readonly JobState[] = ['waiting', 'parked', 'ready', 'running', 'suspended', 'dead', 'finished'];

interface Stage {
  readonly rig: Rig;
  /** The verbs with whatever they call noted. */
  readonly admin: Admin;
  readonly used: Set<string>;
  /** A job of each state. */
  readonly ids: Readonly<Record<JobState, string>>;
}

/** A deployment with a job in every state, a batch, a schedule, a suspension and an error group. */
async function stage(history: 'full' | 'durable' = 'full'): Promise<Stage> {
  const used = new Set<string>();
  const handlers = [
    work.handle(({ payload }) => (payload['fail'] === true ? fail('asked to') : undefined)),
    narrow.handle(() => new Promise(() => {})),
  ];
  const rig = new Rig({ handlers, history });
  const backlog: Backlog = rig.hints;
  const admin = createAdminOver({ ...rig.deps, tables: noting(rig.tables, used), backlog });
  const finished = await rig.client.enqueue(work, {}, { correlationId: 'c' });
  const dead = await rig.client.enqueue(work, { fail: true }, { key: 'dead' });
  const suspended = await rig.client.enqueue(unknown, {});
  await rig.drain();
  await rig.client.enqueueMany(narrow, [{}, {}]);
  for (const message of rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10)) void rig.execute([message]);
  await rig.settle();
  const parked = (await rig.rows('timers'))[0]?.['id'];
  const running = await rig.client.enqueue(work, {});
  await take(rig, running.id);
  const ready = await rig.client.enqueue(work, {}, { group: 'g' });
  const waiting = await rig.client.enqueue(work, {}, { delay: 'PT5H', key: 'waiting' });
  await rig.sweep();
  await rig.fire();
  used.clear();
  const ids = {
    finished: finished.id,
    dead: dead.id,
    suspended: suspended.id,
    parked: String(parked),
    running: running.id,
    ready: ready.id,
    waiting: waiting.id,
  };
  return { rig, admin, used, ids };
}

/** Everything that a person can look at. */
async function look({ admin, ids, rig }: Stage): Promise<void> {
  for (const state of STATES) {
    expect(await admin.find(ids[state])).toMatchObject({ state });
    expect(await admin.explain(ids[state])).toMatchObject({ state });
    expect(await admin.timeline(ids[state])).toMatchObject({ id: ids[state], actsComplete: true });
    expect((await admin.list({ state })).jobs.length, state).toBeGreaterThan(0);
    await admin.list({ state, type: ['work', 'unknown'], from: new Date(rig.clock.now() - 3_600_000) });
    await admin.list({ state, text: 'nothing' });
    await admin.count({ state, correlationId: 'c' });
    await admin.list({ state, hasError: true, or: [{ type: 'work', kind: 'timer' }, { priority: { min: 1 } }] });
  }
  await Promise.all([admin.find(rig.client.newId()), admin.explain(rig.client.newId())]);
  expect((await admin.findByKey('waiting')).held).toMatchObject([{ id: ids.waiting }]);
  const { groups } = await admin.errorGroups({ state: 'all' });
  const fingerprint = groups[0]?.fingerprint ?? '';
  expect(fingerprint).not.toBe('');
  await admin.errorGroup(fingerprint);
  await admin.list({ fingerprint, state: 'dead' });
  await admin.list({ cause: 'no-handler#unknown', state: 'suspended' });
  await Promise.all([admin.statistics(), admin.heartbeats(), admin.limits(), admin.workers(), admin.types(), admin.bulks(), admin.audit()]);
  await Promise.all([admin.attempts(), admin.attempts({ order: 'slowest-first' }), admin.statisticsBy('type')]);
  await Promise.all([
    admin.suspensions(),
    admin.priorities(),
    admin.blockedGroups(),
    admin.acquireLocks(),
    admin.batches(),
    admin.batch('none'),
  ]);
  await Promise.all([
    admin.schedules.list(),
    admin.schedules.get('none'),
    admin.schedules.preview('none'),
    admin.schedules.backfill('none', { from: 0, to: 1 }),
    admin.events(),
  ]);
  await Promise.all([admin.history({ id: ids.finished }), admin.history({ type: 'work' })]);
  await admin.bulk({ verb: 'redrive' }, { state: 'dead' }, { dryRun: true });
  expect((await admin.erase({ type: 'work' })).erased.finished).toBeGreaterThan(0);
  await Promise.all([admin.erasures(), admin.erasure('none'), admin.erasedJobs('none')]);
  const tenant = admin.forTenant('acme');
  await Promise.all([tenant.find(ids.dead), tenant.list(), tenant.count(), tenant.audit(), tenant.timeline(ids.dead), tenant.attempts()]);
}

/** Verbs on single jobs, those that are refused too. */
async function actOnJobs({ admin, ids, rig }: Stage): Promise<void> {
  for (const delay of ['PT0S', 'PT5H']) {
    const [one, two, three] = [
      await rig.client.enqueue(work, {}, { delay }),
      await rig.client.enqueue(work, {}, { delay, key: `two ${delay}` }),
      await rig.client.enqueue(work, {}, { delay, group: 'g' }),
    ];
    const buried = await rig.client.enqueue(work, {}, { delay, key: `buried ${delay}` });
    expect(await admin.bury(buried.id, { reason: 'test' })).toBe('buried');
    for (const { id } of [one, two, three]) await admin.setPriority(id, 3);
    await admin.setRetries(one.id, 5);
    await admin.setDueDate(one.id, { delay: 'PT6H' });
    await admin.setDueDate(one.id, { delay: 'PT0S' });
    await admin.editPayload(two.id, { other: true });
    await admin.changeTenant(two.id, 'acme');
    for (const { id } of [one, two]) await admin.breakpoint(id, { reason: 'test' });
    await admin.setPriority(one.id, 4);
    await admin.editPayload(one.id, { other: true });
    await admin.changeTenant(one.id, 'acme');
    await admin.resumeJob(one.id);
    for (const { id } of [two, three]) await admin.runNow(id);
  }
  for (const state of STATES) {
    await admin.changeTenant(ids[state], 'acme');
    await admin.editPayload(ids[state], { edited: true });
    await admin.setPriority(ids[state], 2);
    await admin.setRetries(ids[state], 2);
    await admin.delete(ids[state]);
    await admin.redrive(ids[state]);
  }
}

/** Verbs on many jobs, on rules, batches, schedules and switches. */
async function actOnMany({ admin, rig }: Stage): Promise<void> {
  const kill = async (): Promise<string> => {
    const { id } = await rig.client.enqueue(work, { fail: true }, { key: rig.client.newId() });
    return rig.drain().then(() => id);
  };
  await admin.redrive(await kill());
  await admin.forTenant('acme').redrive(await kill());
  await rig.drain();
  for (const verb of ['redrive', 'delete'] as const) {
    await kill();
    expect(await admin.bulk({ verb }, { state: 'dead', type: 'work' })).toMatchObject({ status: 'done', failed: 0 });
  }
  await rig.client.enqueueMany(work, [{}, {}], { delay: 'PT1H' });
  for (const action of [
    { verb: 'set-priority', priority: 2 },
    { verb: 'suspend' },
    { verb: 'resume' },
    { verb: 'run-now' },
    { verb: 'cancel' },
  ] as const) {
    expect(await admin.bulk(action, { type: 'work' })).toMatchObject({ status: 'done', failed: 0 });
  }
  for (const { id } of (await admin.bulks()).slice(0, 1)) await admin.resumeBulk(id ?? '');
  await admin.cancelWhere({ type: 'narrow' });
  await admin.suspend('all', { reason: 'test' });
  await admin.overridePriority({ type: 'work' }, 1, { cascade: true });
  await admin.clearPriority({ type: 'work' });
  for (const number of [1, 2]) await admin.setLimit('some', number);
  for (const { limit } of await admin.limitNumbers()) await admin.clearLimit(limit);
  await admin.setRetention('all', 30);
  await admin.previewRetention('all', 1);
  await admin.clearRetention('all');
  await admin.resume('all');
  await admin.switchEvents({ log: false });
  const batch = await rig.client.createBatch({ onCompleted: followUp(work, {}) });
  await batch.enqueue(work, {});
  await rig.drain();
  // All of it has ended already: whoever seals it tells so.
  await admin.sealBatch(batch.id);
  const other = await rig.client.createBatch();
  await other.enqueue(work, {});
  await admin.cancelBatch(other.id);
  await admin.changeBatchTenant(other.id, 'acme');
}

/** What a restore left half done: a timer in two places, one that only a copy has, one without a pointer, a key of a dead letter. */
async function repair({ rig, used }: Stage): Promise<void> {
  const copy = createMemoryTables();
  const one = await rig.client.enqueue(work, {}, { delay: 'PT7H' });
  const timer = (await rig.rows('timers')).find(({ id }) => id === one.id) ?? {};
  await copy.putAll('timers', [timer]);
  await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(timer['shard']), due: String(timer['due']) } });
  const two = await rig.client.enqueue(work, {}, { delay: 'PT8H' });
  await rig.client.reschedule(two.id, { delay: 'PT9H' });
  await rig.tables.write({ op: 'delete', table: 'control', key: movedKey(two.id) });
  const dead = (await rig.rows('deadLetters'))[0] ?? {};
  await rig.tables.write({ op: 'put', table: 'control', row: { ...uniqueKeyKey('held'), jobId: String(dead['id']) } });
  const three = await rig.client.enqueue(work, {}, { delay: 'PT10H' });
  const twin = (await rig.rows('timers')).find(({ id }) => id === three.id) ?? {};
  await rig.tables.write({ op: 'put', table: 'suspended', row: { ...twin, cause: 'breakpoint', rev: 9 } });
  const admin = createAdminOver({ ...rig.deps, tables: noting(rig.tables, used), tablesNamed: () => copy });
  const { findings } = await admin.reconcile({ apply: true, copies: { timers: 'earlier' } });
  const kinds = findings.filter(({ repaired }) => repaired > 0).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['two-places', 'job-missing', 'unreachable-timer', 'key-orphan']));
}

async function actOnSchedules({ admin, rig }: Stage): Promise<void> {
  await admin.schedules.put(defineSchedule('nightly', { job: work, payload: {}, every: 'PT1H' }));
  await admin.schedules.pause('nightly');
  await admin.schedules.resume('nightly');
  await admin.schedules.runNow('nightly');
  expect(await admin.schedules.edit('nightly', { exclude: ['2030-01-01'] })).toBe('edited');
  const now = rig.clock.now();
  expect(await admin.schedules.backfill('nightly', { from: now, to: now, apply: true })).toMatchObject({ count: 0 });
  await admin.schedules.put(defineSchedule('nightly', { job: work, payload: {}, cron: '* * * * *' }));
  await admin.schedules.backfill('nightly', { from: now - 600_000, to: now - 300_000, apply: true });
  await admin.schedules.delete('nightly');
}

/** An erasure of what is kept of ended jobs. */
async function tidy({ admin, rig }: Stage): Promise<void> {
  await rig.client.enqueue(work, { fail: true });
  await rig.drain();
  const report = await admin.erase({ type: 'work' }, { apply: true, reason: 'test' });
  expect(report).toMatchObject({ status: 'done', failed: 0 });
  expect(report.erased.finished).toBeGreaterThan(0);
  expect(report.erased.deadLetters).toBeGreaterThan(0);
  await admin.resumeErasure(report.id ?? '');
}

describe('what people may do with rows is exactly what the verbs call', () => {
  const reading = new Set<string>();
  const operating = new Set<string>();

  beforeAll(async () => {
    for (const history of ['full', 'durable'] as const) {
      const scene = await stage(history);
      await look(scene);
      for (const call of scene.used) reading.add(call);
      await actOnJobs(scene);
      await actOnMany(scene);
      await actOnSchedules(scene);
      await repair(scene);
      await tidy(scene);
      for (const call of scene.used) operating.add(call);
    }
  });

  it('read: everything that it takes to look is granted, and nothing else is', () => {
    expect([...reading].toSorted()).toEqual(granted('read').toSorted());
  });

  it('operate: everything that it takes to act is granted by it or by read', () => {
    const all = new Set([...granted('read'), ...granted('operate')]);
    expect([...operating].filter((call) => !all.has(call))).toEqual([]);
  });

  it('operate: it grants nothing that no verb calls, and nothing that read grants already', () => {
    expect(granted('operate').filter((call) => !operating.has(call) || granted('read').includes(call))).toEqual([]);
  });
});
