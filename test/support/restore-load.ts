import { acquireShard } from '../../functions/acquirer/acquire-shard.ts';
import { releaseParked } from '../../functions/acquirer/duties/release-parked.ts';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import type { JobInfo } from '../../shared/job/job-info.ts';
import { defineJob, type HandledJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { complete, fail } from '../../shared/job/verdict.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import type { TableName, Tables } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from './rig.ts';
import { rigTables } from './rig-tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';

const MINUTE = 60_000;

const plain = defineJob('plain', { payload: anyPayload });
const flaky = defineJob('flaky', { payload: anyPayload, retry: 'PT5S,PT20M,PT10S' });
const doomed = defineJob('doomed', { payload: anyPayload, retry: 'R1/PT1S' });
const keyed = defineJob('keyed', { payload: anyPayload, retry: 'PT20M,PT5S' });
const grouped = defineJob('grouped', { payload: anyPayload, group: () => 'one group' });
const narrow = defineJob('narrow', { payload: anyPayload, limits: [defineLimit('narrow', { concurrency: 1 })] });
const child = defineJob('child', { payload: anyPayload, retry: 'PT16M' });
const told = defineJob('told', { payload: anyPayload });
const ticked = defineJob('ticked', { payload: anyPayload });
const SCHEDULE = 'every-minute';

/** What handlers did, in one region of time: before the restore, or after it. */
export interface Ledger {
  /** Ids of jobs whose handler was called, in order. */
  readonly ran: string[];
  /** Their types. */
  readonly types: Map<string, string>;
  /** Ids of jobs whose end was recorded, with the moment. */
  readonly ended: Map<string, number>;
}

/** A deployment under load of every kind of job. */
export interface LoadedRig {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly ledger: Ledger;
  /** Counts steps: everything that happens has one, which tells before from after where the clock stands still. */
  moment: number;
  /** Jobs whose enqueue returned, with the moment. */
  readonly accepted: Map<string, number>;
  /** Moments at which a job left a table for another one. */
  readonly moves: Map<string, { readonly from: TableName; readonly moment: number }[]>;
  readonly batches: string[];
  readonly random: () => number;
}

const fails = (payload: Readonly<Record<string, unknown>>, attempt: number): boolean => attempt <= Number(payload['failures'] ?? 0);

function handlers({ ran, types }: Ledger): readonly HandledJob[] {
  const note = ({ id, type }: { readonly id: string; readonly type: string }): void => {
    ran.push(id);
    types.set(id, type);
  };
  const unreliable = async ({ job, payload }: { job: JobInfo; payload: Record<string, unknown> }): Promise<void> => {
    note(job);
    if (fails(payload, job.attempt)) throw new Error('asked to');
  };
  return [
    plain.handle(({ job, payload }) => {
      note(job);
      return payload['chain'] === true ? complete({ enqueue: [followUp(plain, {})] }) : undefined;
    }),
    doomed.handle(({ job }) => (note(job), fail('asked to'))),
    narrow.handle(async ({ job }) => {
      note(job);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }),
    flaky.handle(unreliable),
    keyed.handle(unreliable),
    child.handle(unreliable),
    ...[grouped, told, ticked].map((type) => type.handle(({ job }) => note(job))),
  ];
}

/** Notes when a job left a table for another one: it is deleted in one and put in another. */
function notingMoves(inner: Tables, note: (id: string, from: TableName) => void): Tables {
  return {
    ...inner,
    async transact(writes, token, terms) {
      const outcome = await inner.transact(writes, token, terms);
      for (const write of outcome.applied ? writes : []) {
        const id = write.op === 'delete' && (write.key['id'] ?? write.key['due']?.split('#')[1]);
        if (write.op === 'delete' && id) note(id, write.table);
      }
      return outcome;
    },
  };
}

/** An empty deployment at `now`, over the tables given or empty ones. */
export function loadedRig(seed: number, now: number, given?: Tables): LoadedRig {
  const [clock, entropy] = [new SettableClock(now), seededEntropy(seed)];
  const inner = given ?? rigTables(clock);
  const ledger: Ledger = { ran: [], types: new Map(), ended: new Map() };
  const moves: LoadedRig['moves'] = new Map();
  const bound: Tables = {
    get: async (...args) => inner.get(...args),
    write: async (...args) => inner.write(...args),
    transact: async (...args) => inner.transact(...args),
    putAll: async (...args) => inner.putAll(...args),
    query: async (...args) => inner.query(...args),
    scan: async (...args) => inner.scan(...args),
  };
  const tables = notingMoves(bound, (id, from) => void moves.set(id, [...(moves.get(id) ?? []), { from, moment: loaded.moment }]));
  const rig = new Rig({ clock, seed, tables, history: 'durable', handlers: handlers(ledger) });
  const loaded: LoadedRig = {
    rig,
    admin: createAdminOver(rig.deps),
    ledger,
    moment: 0,
    accepted: new Map(),
    moves,
    batches: [],
    random: () => entropy.random(),
  };
  return loaded;
}

const below = (loaded: LoadedRig, count: number): number => Math.floor(loaded.random() * count);

/** Enqueues a few jobs of each kind. */
async function enqueueSome(loaded: LoadedRig): Promise<void> {
  const { client } = loaded.rig;
  const take = (enqueued: { readonly id: string }): void => void loaded.accepted.set(enqueued.id, loaded.moment);
  const delay = (): { delay?: number } => (below(loaded, 3) === 0 ? { delay: 1_000 * below(loaded, 3_000) } : {});
  take(await client.enqueue(plain, { chain: below(loaded, 2) === 0 }, delay()));
  take(await client.enqueue(flaky, { failures: below(loaded, 4) }, delay()));
  take(await client.enqueue(grouped, {}, delay()));
  if (below(loaded, 3) === 0) take(await client.enqueue(doomed, {}, delay()));
  const held = await client.enqueue(keyed, { failures: below(loaded, 3) }, { key: `key ${below(loaded, 20)}` });
  if (!held.duplicate) take(held);
  for (const id of (await client.enqueueMany(narrow, [{}, {}])).ids) if (id !== undefined) loaded.accepted.set(id, loaded.moment);
  if (below(loaded, 6) > 0) return;
  const batch = await client.createBatch({ onCompleted: followUp(told, {}) });
  for (let n = 0; n < 4; n++) take(await batch.enqueue(child, { failures: below(loaded, 2) }, delay()));
  await batch.seal();
  loaded.batches.push(batch.id);
}

/** One step: some jobs come, some run, ticks pass, an operator acts, and time goes on by up to 20 seconds. */
export async function step(loaded: LoadedRig, enqueues = true): Promise<void> {
  const { rig, admin } = loaded;
  loaded.moment++;
  if (enqueues && loaded.moment === 1) await admin.schedules.put(defineSchedule(SCHEDULE, { job: ticked, payload: {}, every: 'PT1M' }));
  if (enqueues) await enqueueSome(loaded);
  if (enqueues && below(loaded, 10) === 0) await toggleSuspension(loaded);
  await tick(rig);
  const seen = rig.journal.entries.length;
  await rig.deliver(1 + below(loaded, 10));
  if (below(loaded, 3) === 0) await rig.sweep();
  for (const { event, job } of rig.journal.entries.slice(seen)) {
    if (job !== undefined && (event === 'completed' || event === 'skipped')) loaded.ledger.ended.set(job.id, loaded.moment);
  }
  await rig.clock.advance(below(loaded, 20_000));
}

async function toggleSuspension({ admin }: LoadedRig): Promise<void> {
  const [held] = await admin.suspensions();
  if (held === undefined) await admin.suspend({ type: 'plain' }, { reason: 'test' });
  else await admin.resume({ type: 'plain' });
}

/** A tick of the acquirer, asked only of the shards that hold timers: the others would cost a DynamoDB a second each time. */
async function tick(rig: Rig): Promise<void> {
  const run = { stopAt: rig.clock.now() + MINUTE, lockUntil: rig.clock.now() + 2 * MINUTE };
  const shards = new Set((await rig.rows('timers')).map((row) => String(row['shard'])));
  for (const shard of shards) if (!shard.startsWith('limit#')) await acquireShard(rig.deps, shard, run);
  await releaseParked(rig.deps, { acquirer: 0, of: 1 }, run.stopAt);
}

/** Runs everything to its end: the schedule and the suspension go, then hours pass. */
export async function drainAll(loaded: LoadedRig): Promise<void> {
  const { rig, admin, ledger } = loaded;
  const ticks = (): number => ledger.ran.filter((id) => ledger.types.get(id) === 'ticked').length;
  for (let turn = 0; turn < 200 && ticks() < 2; turn++) await step(loaded, false);
  if (ticks() < 2) throw new Error('the schedule did not go on');
  await admin.schedules.delete(SCHEDULE);
  await admin.resume({ type: 'plain' });
  for (let round = 0; round < 400; round++) {
    for (let turn = 0; turn < 5; turn++) await step(loaded, false);
    await rig.sweep();
    const left = (await rig.rows('jobs')).length + (await rig.rows('timers')).length + (await rig.rows('suspended')).length;
    if (left === 0) return;
    await rig.clock.advance(2 * MINUTE);
  }
  throw new Error('the restored deployment did not run dry');
}

/** Copies of tables, each as it was at its moment. */
export type TableCopies = ReadonlyMap<
  TableName,
  { readonly rows: readonly Readonly<Record<string, string | number | boolean>>[]; readonly moment: number }
>;

/** Copies tables one after the other, in the order given, while the load goes on. */
export async function copyStaggered(loaded: LoadedRig, names: readonly TableName[]): Promise<TableCopies> {
  const copies = new Map<TableName, { rows: readonly Readonly<Record<string, string | number | boolean>>[]; moment: number }>();
  for (const name of names) {
    copies.set(name, { rows: await loaded.rig.rows(name), moment: loaded.moment });
    for (let steps = below(loaded, 3); steps > 0; steps--) await step(loaded);
  }
  return copies;
}

/** Tables that hold what was copied, as PITR restores them: new ones. */
export async function restored(clock: SettableClock, copies: TableCopies): Promise<Tables> {
  const tables = rigTables(clock);
  for (const [name, { rows }] of copies) await tables.putAll(name, rows);
  return tables;
}
