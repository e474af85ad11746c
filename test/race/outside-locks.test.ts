import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { Write } from '../../shared/ports/tables.ts';
import { WorkerPool } from '../../functions/worker/worker-pool.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import type { External } from '../../functions/worker/external/external.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { startOutside } from '../support/outside-worker.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SKEW = 2 * SECOND;
const grouped = defineJob('grouped', { payload: anyPayload, group: 'g' });
const elsewhere = defineJob('elsewhere', { payload: anyPayload, group: 'g', worker: 'other' });

/** No FIFO queue: the lock alone keeps a group apart. */
const WORKERS = Object.fromEntries(['default', 'other'].map((name) => [name, { lanes: { default: `queue/${name}` } }]));

/** Aims at claims: nothing else of a worker counts a start. */
const aClaim = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.op === 'update' && write.table === 'jobs' && 'starts' in (write.add ?? {}));

async function pass(rig: Rig, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= SECOND) {
    await rig.settle();
    await rig.clock.advance(SECOND);
  }
  await rig.settle();
}

const untilOf = (row: Readonly<Record<string, unknown>> | undefined): number => Date.parse(String(row?.['lockExpiresAt']));

function session(rig: Rig): External {
  const source = createMemoryHintSource(rig.hints, rig.clock);
  return externalOver({ ...rig.deps, handlers: new EveryType('default', []) }, { source, queues: rig.queues });
}

describe('the lock of a group outside Lambda', () => {
  test('is held for neighbours that together outlast it, each of them shorter than a heartbeat', async () => {
    let [running, most] = [0, 0];
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await rig.clock.wait(15 * SECOND);
      running -= 1;
    };
    const rig: Rig = new Rig({ workers: WORKERS, handlers: [grouped.handle(work), elsewhere.handle(work)] });
    await rig.client.enqueueMany(grouped, [{}, {}, {}, {}, {}, {}, {}, {}]);
    const workers = ['default', 'other'].map((name) =>
      startOutside(rig, { concurrency: 10, queues: rig.queues.filter(({ worker }) => worker === name) }),
    );
    await pass(rig, 5 * SECOND);
    await rig.client.enqueue(elsewhere, {});
    await pass(rig, 6 * MINUTE);
    expect(rig.journal.count('completed')).toBe(9);
    expect(most).toBe(1);
    for (const worker of workers) worker.stop();
    await rig.until(Promise.all(workers.map(({ ended }) => ended)));
    expect(await rig.rows('control')).toEqual([]);
  });

  test('that another worker took between two neighbours sends the rest back, and none of them runs', async () => {
    const started: string[] = [];
    const rig: Rig = new Rig({
      workers: WORKERS,
      handlers: [
        grouped.handle(async ({ job }) => {
          started.push(job.id);
          await rig.clock.wait(SECOND);
          if (started.length > 1) return;
          const [lock] = await rig.rows('control');
          const taken = { ...lock, lockOwner: 'run/other', lockExpiresAt: new Date(rig.clock.now() + 5 * MINUTE).toISOString() };
          await rig.tables.write({ op: 'put', table: 'control', row: taken });
        }),
      ],
    });
    await rig.client.enqueueMany(grouped, [{}, {}, {}]);
    const worker = startOutside(rig, { concurrency: 10 });
    await pass(rig, MINUTE);
    expect(started).toHaveLength(1);
    expect((await rig.rows('control'))[0]).toMatchObject({ lockOwner: 'run/other' });
    await pass(rig, 5 * MINUTE);
    expect(started).toHaveLength(3);
    worker.stop();
    await rig.until(worker.ended);
  });

  test('that ran out while its job was claimed keeps the job from starting', async () => {
    let started = 0;
    const rig = faultyRig({ workers: WORKERS, handlers: [grouped.handle(() => void started++)] });
    await rig.client.enqueue(grouped, {});
    let startedEarly = -1;
    rig.faults.before(aClaim, async () => {
      await rig.clock.advance(55 * SECOND);
      rig.faults.before(
        (writes) => writes.some((write) => write.op === 'update' && write.table === 'jobs'),
        async () => void (startedEarly = started),
      );
    });
    const worker = startOutside(rig);
    await pass(rig, 30 * SECOND);
    expect(startedEarly).toBe(0);
    await pass(rig, 2 * MINUTE);
    expect(started).toBe(1);
    worker.stop();
    await rig.until(worker.ended);
    expect(rig.journal.count('completed')).toBe(1);
  });

  test('is renewed with its job, although another receive of the same worker finds the group held', async () => {
    const rig: Rig = new Rig({ workers: WORKERS, handlers: [grouped.handle(({ signal }) => rig.clock.wait(3 * MINUTE, signal))] });
    await rig.client.enqueue(grouped, {});
    // The first claim lingers until the second message has met the lock.
    const tables: typeof rig.tables = {
      ...rig.tables,
      write: async (write, window) => {
        if (aClaim([write])) await rig.clock.wait(5 * SECOND);
        return rig.tables.write(write, window);
      },
    };
    const worker = startOutside(rig, { concurrency: 4 }, { ...rig.deps, tables });
    await pass(rig, 2 * SECOND);
    await rig.client.enqueue(grouped, {});
    await pass(rig, 2 * MINUTE);
    expect(untilOf((await rig.rows('control'))[0])).toBeGreaterThan(rig.clock.now());
    await pass(rig, 10 * MINUTE);
    expect(rig.journal.count('completed')).toBe(2);
    worker.stop();
    await rig.until(worker.ended);
  });
});

describe('the lock of a group that foreign code holds', () => {
  test('outlasts the time that its worker was told, on any clock', async () => {
    const rig = faultyRig({ workers: WORKERS });
    await rig.client.enqueue(grouped, {});
    rig.faults.before(aClaim, async () => rig.clock.advance(8 * SECOND));
    const worker = session(rig);
    const [task] = await rig.until(worker.fetchAndLock(1, 'PT1M'));
    const [lock] = await rig.rows('control');
    expect(untilOf(lock)).toBeGreaterThanOrEqual(Number(task?.lockedUntil.getTime()) + SKEW);
    expect(untilOf((await rig.rows('jobs'))[0])).toBeGreaterThanOrEqual(Number(task?.lockedUntil.getTime()));
    const extended = await worker.extendLock(String(task?.id), String(task?.token), 'PT5M');
    expect(extended).toMatchObject({ result: 'extended', lockedUntil: new Date(rig.clock.now() + 5 * MINUTE) });
    expect(untilOf((await rig.rows('control'))[0])).toBe(rig.clock.now() + 5 * MINUTE + SKEW);
  });

  test('is asked for before the task is: one whose group is another’s is lost, and is not held any longer', async () => {
    const rig = new Rig({ workers: WORKERS });
    const [one, two] = [session(rig), session(rig)];
    await rig.client.enqueueMany(grouped, [{ n: 1 }, { n: 2 }]);
    const [slow] = await rig.until(one.fetchAndLock(1, 'PT10S'));
    await rig.clock.advance(MINUTE);
    const [quick] = await rig.until(two.fetchAndLock(1, 'PT1H'));
    expect(quick?.id).not.toBe(slow?.id);
    const before = (await rig.rows('jobs')).find(({ id }) => id === slow?.id);
    expect(await one.extendLock(String(slow?.id), String(slow?.token), 'PT12H')).toEqual({ result: 'lost' });
    expect((await rig.rows('jobs')).find(({ id }) => id === slow?.id)).toEqual(before);
    expect(await two.complete(String(quick?.id), String(quick?.token))).toEqual({ result: 'completed' });
  });

  test('is given back when the task turns out to be another’s', async () => {
    const rig = faultyRig({ workers: WORKERS });
    const worker = session(rig);
    await rig.client.enqueue(grouped, {});
    const [task] = await rig.until(worker.fetchAndLock(1, 'PT10S'));
    rig.faults.before(
      (writes) => writes.some((write) => write.op === 'update' && write.table === 'jobs'),
      async () =>
        rig.tables.write({ op: 'update', table: 'jobs', key: { id: String(task?.id) }, set: { lockOwner: 'run/other' }, add: { rev: 1 } }),
    );
    expect(await worker.extendLock(String(task?.id), String(task?.token), 'PT12H')).toEqual({ result: 'lost' });
    expect(await rig.rows('control')).toEqual([]);
    expect(await worker.extendLock(String(task?.id), String(task?.token), 'PT12H')).toEqual({ result: 'lost' });
    expect(await rig.rows('control')).toEqual([]);
  });
});

/** What a deaf handler's process waits for while nothing answers. */
interface Silence {
  readonly name: string;
  readonly type: typeof grouped;
  readonly sink?: boolean;
  /** The store goes on answering. */
  readonly store?: boolean;
}

describe('a handler that does not heed its signal', () => {
  const alone = defineJob('alone', { payload: anyPayload });
  const limited = defineJob('limited', { payload: anyPayload, timeout: 'PT10S' });
  test.each<Silence>([
    { name: 'a store that does not answer', type: alone },
    { name: 'a store that does not answer, in a group', type: grouped },
    { name: 'a sink of events that does not answer', type: limited, sink: true, store: true },
    { name: 'both, in a group', type: grouped, sink: true },
  ])('is gone with its process before its lease ends, whatever else waits: $name', async ({ type, sink = false, store = false }) => {
    let silent = false;
    let endedAt = Number.POSITIVE_INFINITY;
    const rig: Rig = new Rig({ workers: WORKERS, handlers: [type.handle(() => new Promise(() => {}))] });
    const answer = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      if (!silent) return call();
      await rig.clock.wait(5 * SECOND);
      throw new StoreUnavailableError('test', new Error('no answer'));
    };
    const { tables } = rig;
    const deps = {
      ...rig.deps,
      tables: {
        ...tables,
        get: (...args: Parameters<typeof tables.get>) => answer(() => tables.get(...args)),
        write: (...args: Parameters<typeof tables.write>) => answer(() => tables.write(...args)),
        transact: (...args: Parameters<typeof tables.transact>) => answer(() => tables.transact(...args)),
      },
      sandbox: { end: () => void (endedAt = rig.clock.now()) },
      ...(sink ? { flushEvents: () => new Promise<void>(() => {}) } : {}),
    };
    await rig.client.enqueue(type, {});
    const worker = startOutside(rig, {}, deps);
    await pass(rig, 5 * SECOND);
    silent = !store;
    const until = Math.min(...[...(await rig.rows('jobs')), ...(await rig.rows('control'))].map(untilOf));
    await pass(rig, 2 * MINUTE);
    await expect(worker.ended).rejects.toThrow('outlived');
    expect(endedAt).toBeLessThan(until - SKEW);
  });
});

test('a poll that cannot be sorted out gives its places back', async () => {
  let [started, failures] = [0, 0];
  const rig = new Rig({ handlers: [grouped.handle(() => void started++)] });
  const stop = new AbortController();
  const hints: typeof rig.hints = Object.assign(Object.create(rig.hints) as typeof rig.hints, {
    send: async (...args: Parameters<typeof rig.hints.send>) => {
      if (failures++ === 0) throw new Error('broken');
      return rig.hints.send(...args);
    },
  });
  const source = createMemoryHintSource(rig.hints, rig.clock);
  const pool = new WorkerPool({ ...rig.deps, hints }, { source, queues: rig.queues, concurrency: 1, drainMs: 0, stop: stop.signal });
  // A message in the wrong queue is forwarded when it is received.
  await rig.client.enqueue(grouped, {});
  const [fifo] = rig.hints.receive({ worker: 'default', lane: '', kind: 'fifo' }, 1);
  if (fifo !== undefined) rig.hints.acknowledge(fifo);
  rig.hints.inject({ worker: 'default', lane: 'default', kind: 'standard' }, String(fifo?.body));
  const ended = pool.work();
  await pass(rig, MINUTE);
  expect(failures).toBe(1);
  await rig.client.enqueue(grouped, {}, { group: 'another' });
  await pass(rig, MINUTE);
  expect(started).toBe(1);
  stop.abort();
  await rig.until(ended);
});
