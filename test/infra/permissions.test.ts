import { beforeAll, describe, expect, it } from 'vitest';
import { acquireTimers } from '../../functions/acquirer/acquire-timers.ts';
import { retentionRow } from '../../shared/features/retention/store/retention-rows.ts';
import { iso } from '../../shared/job/instant.ts';
import { sweep } from '../../functions/sweeper/sweep.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { PERMISSIONS, type Role } from '../../infra/permissions.ts';
import { createClient, type JobClient } from '../../shared/client/job-client.ts';
import { defined } from '../../shared/job/defined.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { executorOwner } from '../../shared/job/lock-owner.ts';
import { complete, fail, snooze } from '../../shared/job/verdict.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { claim } from '../../shared/store/claim.ts';
import { acquireLockKey, lockRow, uniqueKeyRow } from '../../shared/store/control-rows.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { idKey } from '../../shared/store/rows.ts';
import { faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { walkBatches } from './batch-walk.ts';
import { notedTables } from './noted-tables.ts';
import { walkSchedules } from './schedule-walk.ts';

type CheckedRole = Exclude<Role, 'read' | 'operate' | 'list'>;

const MINUTE = 60_000;
const BATCHING: readonly CheckedRole[] = ['executor', 'acquirer', 'sweeper'];

const used = new Map<CheckedRole, Set<string>>();

/** The tables as one role calls them; every call is noted as the action that IAM checks. */
function as(role: CheckedRole, inner: Tables): Tables {
  const note = (call: string): void => void used.set(role, (used.get(role) ?? new Set()).add(call));
  return notedTables(inner, note, BATCHING.includes(role));
}

const work = defineJob('work', { payload: anyPayload, retry: 'R5/PT1H' });
const bounded = defineJob('bounded', { payload: anyPayload, maxBacklog: 5 });
const grouped = defineJob('grouped', { payload: anyPayload, group: 'g' });

const narrow = defineJob('narrow', { payload: anyPayload, limits: [defineLimit('narrow', { concurrency: 1 })] });

let turn = 0;
const HANDLERS = [
  grouped.handle(() => undefined),
  // Long enough for the next one to find no room.
  narrow.handle(async () => {
    for (let left = 50; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
  }),
  work.handle(({ payload }) => {
    turn++;
    if (payload['do'] === 'throw') throw new Error('later');
    if (payload['do'] === 'fail') return fail('never');
    if (payload['do'] === 'cancel') return complete({ cancel: [{ type: work, key: 'stopped' }] });
    return payload['do'] === 'snooze' ? snooze('PT1M') : undefined;
  }),
];

interface Stage {
  readonly rig: Rig;
  readonly faults: ReturnType<typeof faultyTables>;
  readonly client: JobClient;
  readonly canceller: JobClient;
  readonly drain: () => Promise<void>;
  readonly sweep: () => Promise<unknown>;
  readonly fire: () => Promise<unknown>;
}

function stage(history: 'outcome' | 'durable' = 'outcome'): Stage {
  const rig = new Rig({ handlers: HANDLERS, history });
  const faults = faultyTables(rig.tables);
  const clientAs = (role: CheckedRole): JobClient =>
    createClient({ ...rig.deps, tables: as(role, faults.tables), beforeCreate: [] }, (writes) => [...writes]);
  const tick = (): { requestId: string; deadlineAt: number } => ({ requestId: 'tick', deadlineAt: rig.clock.now() + MINUTE });
  return {
    rig,
    faults,
    client: clientAs('enqueue'),
    canceller: clientAs('cancel'),
    drain: async () => rig.drain({ ...rig.deps, tables: as('executor', faults.tables) }),
    sweep: async () => sweep({ ...rig.deps, tables: as('sweeper', faults.tables), backlog: rig.hints }, tick(), true),
    fire: async () => acquireTimers({ ...rig.deps, tables: as('acquirer', faults.tables) }, { acquirer: 0, of: 1 }, tick()),
  };
}

/** Every verb that a producer has. */
async function produce({ client, rig }: Stage): Promise<void> {
  await client.enqueue(work, {});
  await client.enqueue(bounded, {});
  await client.enqueueMany(work, [{}, {}]);
  await client.enqueueMany(work, [{}, {}], { delay: 'PT1H' });
  await client.enqueue(work, {}, { delay: 'PT1H', id: client.newId({ delay: 'PT1H' }) });
  await client.enqueue(work, {}, { id: client.newId() });
  await rig.tables.write({ op: 'put', table: 'control', row: uniqueKeyRow(uniqueKeyHash('work', undefined, 'orphan'), client.newId()) });
  const { id } = await client.enqueue(work, {}, { key: 'orphan' });
  await client.get(id);
  await client.history(id);
}

/** Every way in which an executor ends a job, and what it does on a lost race. */
async function execute(scene: Stage): Promise<void> {
  const { client, drain, faults, rig } = scene;
  for (const what of ['complete', 'throw', 'fail', 'snooze']) await client.enqueue(work, { do: what });
  await client.enqueue(work, {}, { key: 'k' });
  await client.enqueue(grouped, {});
  await client.enqueueMany(narrow, [{}, {}]);
  await rig.client.enqueue(defineJob('unknown', { payload: anyPayload }), {});
  const bad = await client.enqueue(work, {});
  await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(bad.id), set: { failures: 'many' } });
  await drain();
  const stopped = await client.enqueue(work, {}, { key: 'stopped', delay: 'PT9H' });
  await createAdminOver(rig.deps).breakpoint(stopped.id, { reason: 'test' });
  await client.enqueue(work, { do: 'cancel' });
  await drain();
  const moved = await client.enqueue(work, { do: 'throw' });
  faults.before(
    (writes) => writes.some((write) => write.table === 'timers'),
    async () => rig.tables.write({ op: 'update', table: 'jobs', key: idKey(moved.id), set: {}, add: { rev: 1 } }),
  );
  await drain();
}

/** A job replaces the holder of its key in each state that the holder may have. */
async function replace({ canceller, rig }: Stage): Promise<void> {
  const holder = async (key: string, delay?: string): Promise<JobId> => {
    const { id } = await rig.client.enqueue(work, {}, { key, ...defined({ delay }) });
    return id;
  };
  await holder('ready');
  await holder('waiting', 'PT5H');
  await createAdminOver(rig.deps).breakpoint(await holder('suspended', 'PT5H'), { reason: 'test' });
  const running = await holder('running');
  await claim(rig.tables, { id: running, n: 1 }, { owner: 'run/x', expiresAt: rig.clock.now() + MINUTE }, rig.clock.now());
  for (const value of ['ready', 'waiting', 'suspended', 'running'])
    expect(await canceller.enqueue(work, {}, { key: { value, onConflict: 'replace' } })).toMatchObject({ duplicate: false });
}

/** Everything that a sweeper finds. */
async function clean(scene: Stage): Promise<void> {
  const { client, rig } = scene;
  await client.enqueue(work, {});
  for (const crash of [1, 2, 3]) {
    const dying = await client.enqueue(work, { crash }, { key: `crash${crash}` });
    const cancelled = await client.enqueue(work, {});
    for (const id of [dying.id, cancelled.id]) {
      const lease = { owner: executorOwner(rig.deps.entropy.token(), true), expiresAt: rig.clock.now() + MINUTE };
      await claim(rig.tables, { id, n: 1 }, lease, rig.clock.now());
    }
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(dying.id), set: { crashes: 2 } });
    await rig.client.cancel(cancelled.id);
  }
  scene.faults.before(
    (writes) => writes.some((write) => write.table === 'deadLetters'),
    async () =>
      rig.tables.write({
        op: 'update',
        table: 'jobs',
        key: idKey((await rig.rows('jobs')).find(({ crashes }) => crashes === 2)?.['id'] as string),
        set: {},
        add: { rev: 1 },
      }),
  );
  await rig.tables.write({ op: 'put', table: 'jobs', row: { id: 'no-lease' } });
  await rig.tables.write({
    op: 'put',
    table: 'control',
    row: lockRow(acquireLockKey('00'), 'acquirer/dead', { now: rig.clock.now(), expiresAt: rig.clock.now() }),
  });
  for (const message of rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 100)) rig.hints.acknowledge(message);
  await rig.clock.advance(100 * MINUTE);
  const rule = retentionRow({ scope: 'all', days: 1, actor: 'anna', at: rig.clock.now() });
  await rig.tables.write({ op: 'put', table: 'control', row: rule });
  await rig.tables.write({ op: 'put', table: 'deadLetters', row: { id: 'old', rev: 1, failedAt: iso(0), fingerprint: 'f', type: 'work' } });
  await scene.sweep();
  // More rows than one run may read leave a cursor behind.
  Object.assign(rig.deployment.settings, { sweepReadUnits: 1, sweepPageSize: 1, sweepSegments: 1 });
  await client.enqueueMany(work, [{}, {}, {}]);
  await scene.sweep();
}

/** An error group is looked at in one of sixteen runs; in which, its fingerprint says, and so the path of this checkout. */
async function everyGroupsTurn({ rig, sweep: run }: Stage): Promise<void> {
  for (let turn = 0; turn < 16; turn++) {
    await rig.clock.advance(MINUTE);
    await run();
  }
}

beforeAll(async () => {
  for (const history of ['outcome', 'durable'] as const) {
    const scene = stage(history);
    await produce(scene);
    await execute(scene);
    const waiting = await scene.client.enqueue(work, {}, { delay: 'PT5H', key: 'w' });
    await scene.canceller.reschedule(waiting.id, { delay: 'PT6H' });
    await scene.canceller.reschedule(waiting.id, { delay: 'PT1M' });
    await scene.canceller.cancel(waiting.id);
    const running = await scene.client.enqueue(work, {});
    await claim(
      scene.rig.tables,
      { id: running.id, n: 1 },
      { owner: 'run/x', expiresAt: scene.rig.clock.now() + MINUTE },
      scene.rig.clock.now(),
    );
    await scene.canceller.cancel(running.id);
    await replace(scene);
    const held = (await scene.rig.rows('suspended'))[0]?.['id'];
    await scene.rig.tables.write({ op: 'put', table: 'timers', row: { shard: '00', due: '2020-01-01T00:00:00.000Z#junk' } });
    await scene.rig.clock.advance(60 * MINUTE);
    await scene.fire();
    await walkSchedules({ ...scene, acquirerTables: as('acquirer', scene.faults.tables) });
    await walkBatches(scene, work);
    await clean(scene);
    await scene.rig.clock.advance(120 * MINUTE);
    await everyGroupsTurn(scene);
    const again = await scene.rig.client.enqueue(defineJob('unknown', { payload: anyPayload }), {});
    await scene.drain();
    await scene.canceller.cancel(again.id);
    if (held === undefined) throw new Error('No job was suspended: the walk has a gap.');
  }
  if (turn < 5) throw new Error('Hardly a handler ran: the walk has a gap.');
});

/** What a role may do; an executor may enqueue too, and cancel comes on top of enqueue. */
function granted(role: CheckedRole): Set<string> {
  const { tables, indexes } = PERMISSIONS[role];
  return new Set([
    ...Object.entries(tables).flatMap(([table, actions]) => actions.map((action) => `${table} ${action}`)),
    ...Object.entries(indexes ?? {}).flatMap(([table, names]) => names.map((name) => `${table} index ${name}`)),
  ]);
}

describe('the permissions of each role are exact', () => {
  it.each(['executor', 'acquirer', 'sweeper', 'enqueue'] as const)('%s: everything it calls is granted, and nothing else is', (role) => {
    expect([...(used.get(role) ?? [])].toSorted()).toEqual([...granted(role)].toSorted());
  });

  it('cancel: everything it calls is granted by it or by enqueue, and it grants nothing that it does not call', () => {
    const calls = [...(used.get('cancel') ?? [])];
    const enqueue = granted('enqueue');
    expect(calls.filter((call) => !granted('cancel').has(call) && !enqueue.has(call))).toEqual([]);
    expect([...granted('cancel')].filter((grant) => !calls.includes(grant))).toEqual([]);
  });
});
