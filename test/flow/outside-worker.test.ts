import { describe, expect, test } from 'vitest';
import { LeaseLostError, WorkerStoppingError } from '../../shared/job/errors.ts';
import { defineJob, type JobContext } from '../../shared/job/job-type.ts';
import { take } from '../support/faulty-rig.ts';
import { startOutside } from '../support/outside-worker.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { severedTables } from '../support/severed-tables.ts';

const MINUTE = 60_000;
const render = defineJob('render', { payload: anyPayload, retry: 'R3/PT1M' });
const grouped = defineJob('grouped', { payload: anyPayload, group: 'g', retry: 'R3/PT1M' });
const groupedElsewhere = defineJob('grouped-elsewhere', { payload: anyPayload, group: 'g', worker: 'other' });

interface Scene {
  readonly rig: Rig;
  readonly started: JobContext[];
  /** Ends the run of the n-th start. */
  readonly finish: (index: number) => void;
}

/** Handlers that run until they are told to end, or until their signal fires. */
function scene(options: { readonly deaf?: boolean; readonly others?: boolean } = {}): Scene {
  const started: JobContext[] = [];
  const ends: (() => void)[] = [];
  const handler = (context: JobContext<Record<string, unknown>>): Promise<void> =>
    new Promise((resolve, reject) => {
      started.push(context);
      ends.push(resolve);
      if (options.deaf !== true) context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
    });
  const handlers = [render, grouped, groupedElsewhere].map((type) => type.handle(handler));
  const workers = Object.fromEntries(
    ['default', 'other'].map((name) => [name, { lanes: { default: `queue/${name}` }, fifo: `queue/${name}.fifo` }]),
  );
  const rig = new Rig({ handlers, ...(options.others === true ? { workers } : {}) });
  return { rig, started, finish: (index) => ends[index]?.() };
}

async function pass({ rig }: Scene, ms: number, stepMs = 1_000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await rig.settle();
    await rig.clock.advance(Math.min(stepMs, left));
  }
  await rig.settle();
}

describe('a worker outside Lambda', () => {
  test('keeps the lease and the message of a job for longer than its queue hides it, and completes it', async () => {
    const stage = scene();
    const { rig } = stage;
    const worker = startOutside(rig);
    const { id } = await rig.client.enqueue(render, {});
    // The rig's queues hide a message for half an hour.
    await pass(stage, 45 * MINUTE, 5_000);
    expect(stage.started.map(({ job }) => job.attempt)).toEqual([1]);
    const [row] = await rig.rows('jobs');
    expect(Date.parse(String(row?.['lockExpiresAt']))).toBeGreaterThan(rig.clock.now());
    expect((await rig.sweep()).counts).toEqual({});
    expect(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10)).toEqual([]);
    stage.finish(0);
    await pass(stage, 1_000);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished' });
    worker.stop();
    await rig.until(worker.ended);
    expect(rig.hints.nextVisibleAt()).toBeUndefined();
  });

  test('runs as many jobs at once as it may, and takes the next when one has ended', async () => {
    const stage = scene();
    const worker = startOutside(stage.rig, { concurrency: 3 });
    await stage.rig.client.enqueueMany(render, [{}, {}, {}, {}, {}]);
    await pass(stage, 30_000);
    expect(stage.started).toHaveLength(3);
    stage.finish(1);
    await pass(stage, 30_000);
    expect(stage.started).toHaveLength(4);
    for (const index of [0, 2, 3]) stage.finish(index);
    await pass(stage, 30_000);
    stage.finish(4);
    worker.stop();
    await stage.rig.until(worker.ended);
    expect(stage.rig.journal.count('completed')).toBe(5);
  });

  test('that stalls past its lease loses the fence: its signal fires and it completes nothing', async () => {
    const stage = scene();
    const { rig } = stage;
    const severed = severedTables(rig.tables);
    const stalled = startOutside(rig, {}, { ...rig.deps, tables: severed.tables });
    const { id } = await rig.client.enqueue(render, {});
    await pass(stage, 5_000);
    severed.cutOff();
    await pass(stage, 3 * MINUTE);
    expect(stage.started[0]?.signal.reason).toBeInstanceOf(LeaseLostError);
    await rig.sweep();
    severed.fix();
    const other = startOutside(rig);
    await pass(stage, MINUTE);
    expect(stage.started.map(({ job }) => job.attempt)).toEqual([1, 2]);
    stage.finish(1);
    await pass(stage, 5_000);
    expect(rig.journal.count('completed')).toBe(1);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished' });
    stalled.stop();
    other.stop();
    await rig.until(Promise.all([stalled.ended, other.ended]));
  });

  test('whose row is another’s by now records nothing, whatever its handler returns', async () => {
    const stage = scene({ deaf: true });
    const { rig } = stage;
    const worker = startOutside(rig, { drainMs: 1_000 });
    const { id } = await rig.client.enqueue(render, {});
    await pass(stage, 5_000);
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/other' }, add: { rev: 1 } });
    await pass(stage, 25_000, 500);
    expect(rig.journal.count('lost-lease')).toBe(1);
    expect((await rig.rows('jobs'))[0]).toMatchObject({ lockOwner: 'run/other' });
    await expect(worker.ended).rejects.toThrow('outlived');
    expect(rig.sandboxEnds).toBe(1);
  });

  test('that is told to stop lets jobs end within its bound and gives the rest back, counters untouched', async () => {
    const stage = scene();
    const { rig } = stage;
    const worker = startOutside(rig, { concurrency: 2, drainMs: 10_000 });
    const [first, second] = [await rig.client.enqueue(render, { n: 1 }), await rig.client.enqueue(render, { n: 2 })];
    await pass(stage, 25_000);
    worker.stop();
    await pass(stage, 5_000);
    stage.finish(0);
    await rig.until(worker.ended);
    const [ended, back] = stage.started[0]?.job.id === first.id ? [first.id, second.id] : [second.id, first.id];
    expect(stage.started[1]?.signal.reason).toBeInstanceOf(WorkerStoppingError);
    expect(await rig.client.get(ended)).toMatchObject({ state: 'finished' });
    const [row] = await rig.rows('jobs');
    expect(row).toMatchObject({ id: back, failures: 0, crashes: 0, snoozes: 0 });
    const next = startOutside(rig, { concurrency: 2 });
    await rig.client.enqueue(render, { n: 3 });
    await pass(stage, 25_000);
    // Its new message is no redelivery: it does not run alone.
    expect(stage.started).toHaveLength(4);
    next.stop();
    await rig.until(next.ended);
  });

  test('is reached by a cancel, and ends the job as cancelled', async () => {
    const stage = scene();
    const { rig } = stage;
    const worker = startOutside(rig);
    const { id } = await rig.client.enqueue(render, {});
    await pass(stage, 20 * MINUTE, 5_000);
    expect(await rig.client.cancel(id)).toBe('cancel-requested');
    await pass(stage, 10_000);
    expect(stage.started[0]?.signal.aborted).toBe(true);
    expect(rig.journal.count('cancelled')).toBe(1);
    worker.stop();
    await rig.until(worker.ended);
  });

  test('keeps the lock of a group as long as the job runs, against a worker whose queue knows nothing of it', async () => {
    const stage = scene({ others: true });
    const { rig } = stage;
    const [one, two] = ['default', 'other'].map((name) =>
      startOutside(rig, { queues: rig.queues.filter(({ worker }) => worker === name) }),
    );
    await rig.client.enqueue(grouped, {});
    await pass(stage, 5_000);
    await rig.client.enqueue(groupedElsewhere, {});
    await pass(stage, 15 * MINUTE, 5_000);
    expect(stage.started).toHaveLength(1);
    stage.finish(0);
    await pass(stage, 2 * MINUTE);
    expect(stage.started).toHaveLength(2);
    stage.finish(1);
    for (const worker of [one, two]) worker?.stop();
    await rig.until(Promise.all([one?.ended, two?.ended]));
    expect(rig.journal.count('completed')).toBe(2);
    expect(await rig.rows('control')).toEqual([]);
  });

  test('that dies leaves its job to the next one, which runs it alone', async () => {
    const stage = scene();
    const { rig } = stage;
    const severed = severedTables(rig.tables);
    startOutside(rig, {}, { ...rig.deps, tables: severed.tables });
    const { id } = await rig.client.enqueue(render, {});
    await pass(stage, 30_000);
    severed.die();
    await pass(stage, 2 * MINUTE);
    expect((await rig.sweep()).counts).toEqual({ reset: 1 });
    const next = startOutside(rig, { concurrency: 4 });
    await pass(stage, MINUTE);
    expect(stage.started.map(({ job }) => job.attempt)).toEqual([1, 2]);
    expect((await rig.rows('jobs'))[0]).toMatchObject({ id, crashes: 0 });
    expect(String((await rig.rows('jobs'))[0]?.['lockOwner'])).toMatch(/^alone\//);
    stage.finish(1);
    await pass(stage, 2_000);
    next.stop();
    await rig.until(next.ended);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished' });
  });

  test('runs a job that may have killed a process with nothing beside it, before and after', async () => {
    const stage = scene();
    const { rig } = stage;
    const worker = startOutside(rig, { concurrency: 4 });
    const before = await rig.client.enqueue(render, { n: 'before' });
    await pass(stage, 25_000);
    const suspect = await take(rig, (await rig.client.enqueue(render, { n: 'suspect' })).id, 1_000);
    await pass(stage, 5_000);
    await rig.sweep();
    // Others run, so it comes back; after a few times the worker waits for them and takes nothing new.
    await pass(stage, 3 * MINUTE);
    const after = await rig.client.enqueue(render, { n: 'after' });
    await pass(stage, MINUTE);
    expect(stage.started.map(({ job }) => job.id)).toEqual([before.id]);
    stage.finish(0);
    await pass(stage, 10 * MINUTE);
    expect(stage.started.map(({ job }) => job.id)).toEqual([before.id, suspect.id]);
    stage.finish(1);
    await pass(stage, MINUTE);
    expect(stage.started.map(({ job }) => job.id)).toEqual([before.id, suspect.id, after.id]);
    stage.finish(2);
    worker.stop();
    await rig.until(worker.ended);
    expect(rig.journal.count('completed')).toBe(3);
  });

  test('buries a job whose tries are used up after its lease was renewed', async () => {
    const hopeless = defineJob('hopeless', { payload: anyPayload, retry: 'R1/PT1S' });
    const rig = new Rig({
      handlers: [
        hopeless.handle(async ({ signal }) => {
          await rig.clock.wait(5 * MINUTE, signal);
          throw new Error('never');
        }),
      ],
    });
    const stage: Scene = { rig, started: [], finish: () => {} };
    const worker = startOutside(rig);
    await rig.client.enqueue(hopeless, {});
    await pass(stage, 6 * MINUTE, 2_000);
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 1 });
    worker.stop();
    await rig.until(worker.ended);
  });
});
