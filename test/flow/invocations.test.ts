import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import { openInvocation } from '../../functions/executor/invocation.ts';
import { executeMessages, SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const SECOND = 1_000;
const work = defineJob('work', { payload: anyPayload });
const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;

/** A rig that notes in which order its jobs start. */
function stage(handler: JobHandler<Record<string, unknown>> = () => undefined, options: RigOptions = {}) {
  const started: unknown[] = [];
  const handled = work.handle((context) => (started.push(context.payload['n']), handler(context)));
  const rig: Rig = new Rig({ handlers: [handled], ...options });
  return { rig, started, received: () => rig.hints.receive(QUEUE, 10) };
}

describe('an invocation', () => {
  it.each([
    ['before the others when it was received very often', 9, 0],
    ['after the others otherwise', 2, 2],
  ])('runs a job that may have killed a process %s', async (_, receiveCount, place) => {
    const { rig, started, received } = stage();
    for (const n of [1, 2, 3]) await rig.client.enqueue(work, { n });
    const [first, ...others] = received();
    await rig.execute([...others, ...(first === undefined ? [] : [{ ...first, receiveCount }])]);
    expect(started).toHaveLength(3);
    expect(started.indexOf(1)).toBe(place);
  });

  it('looks at the batch of its last child also when that ran alone', async () => {
    const { rig, received } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { batch: 'b' } });
    const query = rig.tables.query.bind(rig.tables);
    let looks = 0;
    rig.tables.query = async (asked) => {
      if (rig.journal.count('completed') > 0 && asked.table === 'control') looks += 1;
      return query(asked);
    };
    await rig.execute(received().map((message) => ({ ...message, receiveCount: 2 })));
    expect(rig.journal.count('completed')).toBe(1);
    expect(looks).toBeGreaterThan(0);
  });

  it('ends when the listeners of its attempts have ended, after History was written', async () => {
    const { rig, received } = stage();
    const begun = rig.clock.now();
    const onSession = async () => {
      await rig.clock.wait(SECOND);
      expect(await rig.rows('history')).toHaveLength(1);
    };
    await rig.client.enqueue(work, {});
    await rig.until(rig.execute(received(), { ...rig.deps, onSession }));
    expect(rig.clock.now() - begun).toBe(SECOND);
    expect(rig.journal.count('hook-failed')).toBe(0);
  });

  it('delivers what it has to tell before it ends its process', async () => {
    const { rig, received } = stage(() => new Promise<never>(() => {}));
    const seen: string[] = [];
    const deps: ExecutorDeps = {
      ...rig.deps,
      journal: { ...rig.deps.journal, flush: () => void seen.push('journal') },
      flushEvents: async (all) => void seen.push(`events, all: ${all}`),
      sandbox: { end: () => void seen.push('end') },
    };
    await rig.client.enqueue(work, {});
    await expect(rig.until(rig.execute(received(), deps), SECOND)).rejects.toThrow(SandboxEndedError);
    expect(seen).toEqual(['events, all: true', 'journal', 'end']);
  });

  it('claims nothing when there is no time to run it', async () => {
    const { rig, started, received } = stage();
    const { recordReserveMs, abortGraceMs, minimumRunMs } = rig.deployment.settings;
    const { id } = await rig.client.enqueue(work, {});
    const before = await rig.tables.get('jobs', { id });
    const messages = received();
    const deadlineAt = rig.clock.now() + recordReserveMs + abortGraceMs + minimumRunMs - 1;
    expect(await executeMessages(rig.deps, messages, { requestId: 'r', deadlineAt })).toEqual([messages[0]?.messageId]);
    expect(started).toEqual([]);
    expect(await rig.tables.get('jobs', { id })).toEqual(before);
  });

  it('starts nothing when the claim took so long that there is no time left', async () => {
    const { rig, started, received } = stage();
    const { recordReserveMs, abortGraceMs, minimumRunMs } = rig.deployment.settings;
    const { id } = await rig.client.enqueue(work, {});
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (...args) => {
      const outcome = await write(...args);
      rig.tables.write = write;
      await rig.clock.advance(10);
      return outcome;
    };
    const deadlineAt = rig.clock.now() + recordReserveMs + abortGraceMs + minimumRunMs + 5;
    expect(await executeMessages(rig.deps, received(), { requestId: 'r', deadlineAt })).toHaveLength(1);
    expect(started).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 0 });
  });

  it('must have answered half a second before its deadline', () => {
    const { rig } = stage();
    const deadlineAt = rig.clock.now() + 5 * SECOND;
    expect(openInvocation(rig.deps, { requestId: 'r', deadlineAt }).deps.answerBy).toBe(deadlineAt - SECOND / 2);
  });

  it('tries to record an outcome until half a second before it must have answered, not longer', async () => {
    const { rig, received } = stage();
    await rig.client.enqueue(work, {});
    const messages = received();
    const { recordReserveMs, abortGraceMs, minimumRunMs } = rig.deployment.settings;
    const deadlineAt = rig.clock.now() + recordReserveMs + abortGraceMs + minimumRunMs;
    const write = rig.tables.write.bind(rig.tables);
    const tried: number[] = [];
    rig.tables.write = async (one, window) => {
      if (one.op !== 'delete') return write(one, window);
      tried.push(deadlineAt - rig.clock.now());
      // The first answer takes nearly all the time that there is.
      if (tried.length === 1) await rig.clock.advance(tried[0] === undefined ? 0 : tried[0] - SECOND / 2 - 1);
      throw new StoreUnavailableError('write', new Error('down'));
    };
    await rig.until(executeMessages(rig.deps, messages, { requestId: 'r', deadlineAt }), 1);
    expect(tried.slice(1)).toEqual([SECOND / 2]);
  });

  it('tells no delay below nothing of a job whose executor’s clock was set back', async () => {
    const { rig, received } = stage();
    await rig.client.enqueue(work, {});
    let offset = 0;
    const clock = { now: () => rig.clock.now() + offset, wait: rig.clock.wait.bind(rig.clock) };
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (...args) => {
      offset = -5 * SECOND;
      return write(...args);
    };
    await rig.execute(received(), { ...rig.deps, clock });
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'started', queueDelayMs: 0 }));
  });
});
