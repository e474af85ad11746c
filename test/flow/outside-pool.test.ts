import { describe, expect, it } from 'vitest';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import { WorkerPool } from '../../functions/worker/worker-pool.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });
const SLOW: QueueRef = { worker: 'default', lane: 'slow', kind: 'standard' };
const LANES = { default: { lanes: { fast: 'q/fast', slow: 'q/slow' }, from: { fast: 5 } } };

/** A worker outside Lambda whose source, parts and suspects a test chooses; time goes on by `pass`. */
function crewOf(
  handler: JobHandler,
  options: RigOptions & { readonly deps?: Partial<ExecutorDeps>; readonly queues?: readonly QueueRef[] } = {},
) {
  const rig: Rig = new Rig({ handlers: [work.handle(handler)], ...options });
  const stop = new AbortController();
  const memory = createMemoryHintSource(rig.hints, rig.clock);
  /** Ids of jobs that were received so often that they make a moment in which nothing runs beside them. */
  const suspects = new Set<string>();
  const acknowledged: string[] = [];
  const source: HintSource = {
    receive: async (...args) =>
      (await memory.receive(...args)).map((message) =>
        [...suspects].some((id) => message.body.includes(id)) ? { ...message, receiveCount: 9 } : message,
      ),
    acknowledge: async (message) => (acknowledged.push(message.body), memory.acknowledge(message)),
  };
  const start = (drainMs = SECOND) => {
    const queues = options.queues ?? rig.queues;
    const pool = new WorkerPool({ ...rig.deps, ...options.deps }, { source, queues, concurrency: 2, drainMs, stop: stop.signal });
    const ended = pool.work();
    ended.catch(() => {});
    return ended;
  };
  const pass = async (ms: number, stepMs = SECOND): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await rig.settle();
      await rig.clock.advance(stepMs);
    }
    await rig.settle();
  };
  return { rig, stop: () => stop.abort(), source, suspects, acknowledged, start, pass };
}

const long: (rig: () => Rig) => JobHandler =
  (rig) =>
  ({ signal }) =>
    rig().clock.wait(60 * MINUTE, signal);

describe('a message that waits in the hands of a worker', () => {
  it('stays hidden for as long as it waits, and no longer than it is held', async () => {
    const scene = crewOf(
      long(() => scene.rig),
      { settings: { executorTimeoutMs: 30_000 } },
    );
    const { rig, suspects, start, stop, pass } = scene;
    await rig.client.enqueue(work, {});
    const ended = start();
    await pass(5 * SECOND);
    const { id } = await rig.client.enqueue(work, {});
    suspects.add(id);
    const hiddenMs = new Set<number>();
    const postpone = rig.hints.postpone.bind(rig.hints);
    rig.hints.postpone = async (message, ms) => (hiddenMs.add(ms), postpone(message, ms));
    await pass(5 * SECOND);
    expect(hiddenMs.size).toBe(0);
    for (let minute = 0; minute < 8; minute++) {
      await pass(MINUTE, 5 * SECOND);
      expect(rig.hints.receive(rig.queues[0] as QueueRef, 10)).toEqual([]);
    }
    expect([...hiddenMs]).toEqual([rig.deployment.settings.workerLeaseMs + 30 * SECOND]);
    stop();
    await rig.until(ended, SECOND);
    const isBack = (messages: readonly ReceivedHint[]): boolean => messages.some(({ body }) => body.includes(id));
    await pass(2 * MINUTE, 5 * SECOND);
    expect(isBack(rig.queues.flatMap((queue) => rig.hints.receive(queue, 10)))).toBe(true);
  });

  it('is given back by a stop, also when it came in while a suspect ran', async () => {
    const scene = crewOf(
      long(() => scene.rig),
      { workers: LANES },
    );
    const { rig, suspects, start, stop, pass } = scene;
    const ended = start();
    await pass(SECOND);
    const first = await rig.client.enqueue(work, {}, { priority: 9 });
    suspects.add(first.id);
    await pass(2 * SECOND);
    expect(await rig.client.get(first.id)).toMatchObject({ state: 'running' });
    const second = await rig.client.enqueue(work, {}, { priority: 0 });
    await pass(2 * SECOND);
    expect(await rig.client.get(second.id)).toMatchObject({ state: 'ready' });
    expect(rig.hints.receive(SLOW, 10)).toEqual([]);
    stop();
    await rig.until(ended, SECOND);
    await pass(SECOND);
    expect(rig.hints.receive(SLOW, 10)).toHaveLength(1);
  });

  it('is left alone when its job has begun', async () => {
    const scene = crewOf(() => undefined, { settings: { executorTimeoutMs: 30_000 } });
    const { rig, suspects, start, stop, pass } = scene;
    const { id } = await rig.client.enqueue(work, {});
    suspects.add(id);
    const ended = start();
    await pass(5 * SECOND);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished' });
    let postponed = 0;
    const postpone = rig.hints.postpone.bind(rig.hints);
    rig.hints.postpone = async (...args) => (postponed++, postpone(...args));
    await pass(3 * MINUTE, 5 * SECOND);
    expect(postponed).toBe(0);
    stop();
    await rig.until(ended, SECOND);
  });
});

describe('a worker outside Lambda', () => {
  it('acknowledges the message of a crashed job once, when the job has run', async () => {
    const seen: number[] = [];
    const scene = crewOf(() => void seen.push(scene.acknowledged.length));
    const { rig, acknowledged, start, stop, pass } = scene;
    const { id } = await rig.client.enqueue(work, {});
    await take(rig, id, 0, false);
    await rig.clock.advance(MINUTE);
    const ended = start();
    await pass(30 * SECOND);
    expect(seen).toEqual([0]);
    expect(acknowledged).toHaveLength(1);
    stop();
    await rig.until(ended, SECOND);
  });

  it('keeps a message that it could not pass on to the queue of its group', async () => {
    const scene = crewOf(() => undefined, { deps: {} });
    const { rig, acknowledged, start, stop, pass } = scene;
    const { id } = await rig.client.enqueue(work, {}, { group: 'g' });
    const [hint] = rig.queues.flatMap((queue) => rig.hints.receive(queue, 10));
    rig.hints.inject({ worker: 'default', lane: 'default', kind: 'standard' }, hint?.body ?? '');
    const send = rig.hints.send.bind(rig.hints);
    rig.hints.send = async (hints) => hints;
    const ended = start();
    await pass(5 * SECOND);
    expect(acknowledged).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready' });
    rig.hints.send = send;
    stop();
    await rig.until(ended, SECOND);
  });

  it('journals that a queue did not answer, asks more and more rarely, and soon again after one that did', async () => {
    const scene = crewOf(() => undefined, { workers: { default: { lanes: { default: 'q' } } } });
    const { rig, source, start, stop, pass } = scene;
    const asked: number[] = [];
    let answers = false;
    const receive = source.receive.bind(source);
    source.receive = async (...args) => {
      asked.push(rig.clock.now());
      if (answers) return receive(...args);
      throw new Error('no answer');
    };
    const ended = start();
    await pass(2 * MINUTE, 500);
    const failed = asked.length;
    expect(rig.journal.count('store-failed')).toBe(failed);
    expect(failed).toBeGreaterThan(5);
    expect(failed).toBeLessThan(12);
    answers = true;
    await pass(MINUTE);
    answers = false;
    const before = asked.length;
    await pass(30 * SECOND, 500);
    const [first = 0, second = Number.NaN] = asked.slice(before);
    expect(second - first).toBeLessThanOrEqual(SECOND);
    stop();
    await rig.until(ended, SECOND);
  });

  it('journals that a message could not be acknowledged, and goes on', async () => {
    const scene = crewOf(() => undefined);
    const { rig, source, start, stop, pass } = scene;
    source.acknowledge = async () => {
      throw new Error('no answer');
    };
    await rig.client.enqueueMany(work, [{}, {}]);
    const ended = start();
    await pass(30 * SECOND);
    stop();
    await rig.until(ended, SECOND);
    expect(rig.journal.count('completed')).toBe(2);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'send-failed', reason: 'acknowledge: Error' }));
  });

  it('delivers its events after each job, and all of them before it ends', async () => {
    const flushed: boolean[] = [];
    const scene = crewOf(() => undefined, { deps: { flushEvents: async (all = false) => void flushed.push(all) } });
    const { rig, start, stop, pass } = scene;
    await rig.client.enqueue(work, {});
    const ended = start();
    await pass(5 * SECOND);
    expect(flushed).toEqual([false]);
    stop();
    await rig.until(ended, SECOND);
    expect(flushed).toEqual([false, true]);
  });

  it('tells that it ended its process because of a deaf handler, long before the lease of that is over', async () => {
    let flushes = 0;
    const deaf = defineJob('deaf', { payload: anyPayload, timeout: 'PT10S' });
    const scene = crewOf(() => undefined, {
      handlers: [deaf.handle(() => new Promise<never>(() => {})), work.handle(long(() => scene.rig))],
    });
    const { rig, start, pass } = scene;
    rig.journal.flush = () => void flushes++;
    await rig.client.enqueue(deaf, {});
    await rig.client.enqueue(work, {});
    const begun = rig.clock.now();
    const ended = start(10 * MINUTE);
    await pass(5 * SECOND);
    await expect(rig.until(ended, SECOND)).rejects.toThrow(SandboxEndedError);
    expect(rig.clock.now() - begun).toBeLessThan(30 * SECOND);
    expect(rig.sandboxEnds).toBe(1);
    expect(rig.journal.count('sandbox-ended')).toBe(1);
    expect(flushes).toBeGreaterThan(0);
  });
});
