import { defineJob } from '../../shared/job/job-type.ts';
import type { LeasedJob, SuspendedJob } from '../../shared/job/job.ts';
import { executorOwner } from '../../shared/job/lock-owner.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { resume } from '../../shared/store/resume.ts';
import { bury } from '../../shared/store/bury.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { claim, type Lease, takeOver } from '../../shared/store/claim.ts';
import { complete } from '../../shared/store/complete.ts';
import { groupLockKey, heldCauseKey } from '../../shared/store/control-rows.ts';
import { fire, firing } from '../../shared/store/fire.ts';
import { decodeJob, decodeLeasedJob, decodeSuspendedJob } from '../../shared/store/job-codec.ts';
import { takeLock } from '../../shared/store/take-lock.ts';
import { runAgainLater } from '../../shared/store/run-again-later.ts';
import { redrive } from '../../shared/store/redrive.ts';
import { reset } from '../../shared/store/reset.ts';
import { runAgain } from '../../shared/store/run-again.ts';
import { idKey } from '../../shared/store/rows.ts';
import { suspend } from '../../shared/store/suspend.ts';
import type { Faults } from '../../testing/index.ts';
import { faultyDynamo } from '../support/faulty-clients.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const MINUTE = 60_000;
const ERROR = { name: 'E', message: 'm', at: 0 };
export const work = defineJob('work', { payload: anyPayload });

/** The production code over Dynoxide, reached through the real SDK client with faults under it. */
export type SdkRig = Rig & { readonly faults: Faults };

/** A rig on DynamoDB whose client meets faults. */
export async function sdkRig(options: RigOptions = {}): Promise<SdkRig> {
  const clock = new SettableClock();
  // What the adapter waits between its tries takes no time: nobody moves the clock on meanwhile.
  const { faults, tables } = await faultyDynamo({ now: () => clock.now(), wait: async () => undefined });
  return Object.assign(new Rig({ ...options, clock, tables }), { faults });
}

/** A verb with everything before it done: `act` performs it, and `ends` is what it must say whatever happened to its requests. */
export interface FencedVerb {
  readonly name: string;
  /** The operation that carries the fence. */
  readonly operation: 'UpdateItem' | 'DeleteItem' | 'PutItem' | 'TransactWriteItems';
  readonly ends: object;
  /** What it says when other transactions stay in the way, where that is no error: its next round tries again. */
  readonly endsInTheWay?: object;
  prepare(rig: Rig): Promise<() => Promise<unknown>>;
}

const terms = (rig: Rig) => ({ token: rig.deps.entropy.token(), now: rig.clock.now(), redispatchAfterMs: 2 * MINUTE });
const lease = (rig: Rig): Lease => ({ owner: executorOwner(rig.deps.entropy.token(), true), expiresAt: rig.clock.now() + MINUTE });
const now = (rig: Rig) => (): number => rig.clock.now();

async function taken(rig: Rig, options: { readonly key?: string } = {}): Promise<LeasedJob> {
  return take(rig, (await rig.client.enqueue(work, {}, options)).id);
}

async function suspended(rig: Rig): Promise<SuspendedJob> {
  const at = rig.clock.now();
  const job = await taken(rig);
  await suspend(rig.tables, job, { cause: 'no-handler#work', now: at, tryAt: at, tries: 1 });
  return decodeSuspendedJob((await rig.tables.get('suspended', idKey(job.id))) ?? {});
}

/** Verbs of an executor. */
const BY_EXECUTOR: readonly FencedVerb[] = [
  {
    name: 'claim',
    operation: 'UpdateItem',
    ends: { result: 'claimed' },
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(work, {});
      return async () => claim(rig.tables, { id, n: 1 }, lease(rig), rig.clock.now());
    },
  },
  {
    name: 'take over',
    operation: 'UpdateItem',
    ends: { result: 'claimed', job: { crashes: 1 } },
    prepare: async (rig) => {
      const seen = await taken(rig);
      await rig.clock.advance(2 * MINUTE);
      return async () => takeOver(rig.tables, seen, lease(rig), { crashes: 1, now: rig.clock.now() });
    },
  },
  {
    name: 'complete',
    operation: 'DeleteItem',
    ends: { result: 'finished' },
    prepare: async (rig) => {
      const job = await taken(rig);
      return async () => complete(rig.tables, job, { now: now(rig) });
    },
  },
  {
    name: 'complete with a key',
    operation: 'TransactWriteItems',
    ends: { result: 'finished' },
    prepare: async (rig) => {
      const job = await taken(rig, { key: 'k' });
      return async () => complete(rig.tables, job, { now: now(rig) });
    },
  },
  {
    name: 'retry',
    operation: 'UpdateItem',
    ends: { result: 'ready', job: { failures: 1 } },
    prepare: async (rig) => {
      const job = await taken(rig);
      return async () => runAgain(rig.tables, job, { dueAt: rig.clock.now() + MINUTE, counts: 'failures', error: ERROR }, terms(rig));
    },
  },
  {
    name: 'give back',
    operation: 'UpdateItem',
    ends: { result: 'ready', job: { failures: 0, dispatches: 2 } },
    prepare: async (rig) => {
      const job = await taken(rig);
      return async () => runAgain(rig.tables, job, {}, terms(rig));
    },
  },
  {
    name: 'retry later',
    operation: 'TransactWriteItems',
    ends: { result: 'waiting' },
    prepare: async (rig) => {
      const job = await taken(rig);
      return async () => runAgainLater(rig.tables, job, { dueAt: rig.clock.now() + 99 * MINUTE, counts: 'failures' });
    },
  },
  {
    name: 'bury',
    operation: 'TransactWriteItems',
    ends: { result: 'dead' },
    prepare: async (rig) => {
      const job = await taken(rig, { key: 'k' });
      return async () => bury(rig.tables, job, { reason: 'failed', error: ERROR });
    },
  },
  {
    name: 'suspend',
    operation: 'TransactWriteItems',
    ends: { result: 'suspended' },
    prepare: async (rig) => {
      const job = await taken(rig);
      const at = rig.clock.now();
      // The cause is listed by a write of its own, before and whatever becomes of the rest.
      await rig.tables.write({ op: 'put', table: 'control', row: heldCauseKey('no-handler#work') });
      return async () => suspend(rig.tables, job, { cause: 'no-handler#work', now: at, tryAt: at, tries: 1 });
    },
  },
  {
    name: 'end as cancelled',
    operation: 'TransactWriteItems',
    ends: { ended: true },
    prepare: async (rig) => {
      const job = await taken(rig);
      return async () => ({ ended: await endAsCancelled(rig.tables, job, 'owner', cancelTerms(rig.deps)) });
    },
  },
  {
    name: 'take a group’s lock',
    operation: 'PutItem',
    ends: { taken: true },
    prepare: async (rig) => {
      const times = { now: rig.clock.now(), expiresAt: rig.clock.now() + MINUTE };
      return async () => takeLock(rig.tables, groupLockKey('g'), lease(rig).owner, times);
    },
  },
];

/** Verbs of the acquirer, the sweeper, clients and operators. */
const BY_OTHERS: readonly FencedVerb[] = [
  {
    name: 'fire',
    operation: 'TransactWriteItems',
    ends: { fired: 1 },
    endsInTheWay: { fired: 0 },
    prepare: async (rig) => {
      await rig.client.enqueue(work, {}, { delay: 'PT1H' });
      await rig.clock.advance(60 * MINUTE);
      const [timer] = await rig.rows('timers');
      return async () => ({ fired: (await fire(rig.tables, [firing(decodeJob(timer ?? {}), terms(rig))])).length });
    },
  },
  {
    name: 'reset',
    operation: 'UpdateItem',
    ends: { result: 'ready', job: { crashes: 1 } },
    prepare: async (rig) => {
      const seen = await taken(rig);
      await rig.clock.advance(2 * MINUTE);
      return async () => reset(rig.tables, seen, { ...terms(rig), crashes: 1 });
    },
  },
  {
    name: 'resume',
    operation: 'TransactWriteItems',
    ends: { result: 'ready' },
    endsInTheWay: { result: 'lost' },
    prepare: async (rig) => {
      const seen = await suspended(rig);
      return async () => resume(rig.tables, seen, { ...terms(rig), delayHorizonMs: 15 * MINUTE });
    },
  },
  {
    name: 'redrive',
    operation: 'TransactWriteItems',
    ends: { outcome: 'redriven' },
    prepare: async (rig) => {
      const job = await taken(rig, { key: 'k' });
      await bury(rig.tables, job, { reason: 'failed', error: ERROR });
      return async () => redrive(rig.tables, job.id, { ...terms(rig), delayHorizonMs: 15 * MINUTE, workers: rig.deployment.workers });
    },
  },
  {
    name: 'cancel',
    operation: 'TransactWriteItems',
    ends: { outcome: 'cancelled' },
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
      return async () => ({ outcome: await rig.client.cancel(id) });
    },
  },
  {
    name: 'ask a running job to end',
    operation: 'UpdateItem',
    ends: { outcome: 'cancel-requested' },
    prepare: async (rig) => {
      const { id } = await taken(rig);
      return async () => ({ outcome: await rig.client.cancel(id) });
    },
  },
  {
    name: 'reschedule',
    operation: 'TransactWriteItems',
    ends: { outcome: 'rescheduled' },
    prepare: async (rig) => {
      const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
      return async () => ({ outcome: await rig.client.reschedule(id, { delay: 'PT2H' }) });
    },
  },
  {
    name: 'enqueue with a key',
    operation: 'TransactWriteItems',
    ends: { duplicate: false },
    prepare: async (rig) => async () => rig.client.enqueue(work, {}, { key: 'k' }),
  },
];

/** Every verb that a condition fences. */
export const FENCED_VERBS: readonly FencedVerb[] = [...BY_EXECUTOR, ...BY_OTHERS];

/** How many rows lie where, and the counters of those in Jobs: how a run ended, without what time and chance gave it. */
export async function ending(rig: Rig): Promise<object> {
  const jobs = (await rig.rows('jobs')).map((row) => decodeLeasedJob(row));
  const counters = jobs.map(({ dispatches, starts, failures, crashes }) => ({ dispatches, starts, failures, crashes }));
  return { ...(await rig.counts()), counters };
}
