import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import type { ExecutorDeps } from '../../functions/executor/deps.ts';
import { never, pass, STANDARD, started } from '../support/pool-at-work.ts';
import { anyPayload, type Rig } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });
const deaf = defineJob('deaf', { payload: anyPayload, timeout: 'PT10S' });

describe('a worker outside Lambda that is told to stop', () => {
  it('waits for no poll, and tells what it has to', async () => {
    let flushes = 0;
    const journal = (rig: Rig) => ({ ...rig.deps.journal, flush: () => void flushes++ });
    const { rig, stop, ended } = started(() => [], { deps: (of) => ({ journal: journal(of) }) });
    const begun = rig.clock.now();
    await pass(rig, SECOND);
    expect(flushes).toBe(0);
    stop.abort();
    await ended;
    expect(rig.clock.now() - begun).toBe(SECOND);
    expect(flushes).toBe(1);
  });

  it('gives back at once what a poll brings in that very moment', async () => {
    const { rig, stop, ended } = started(() => [work.handle(() => undefined)], {
      terms: (of) => {
        const memory = createMemoryHintSource(of.hints, of.clock);
        // An answer that was on its way when the poll was broken off.
        const late: HintSource['receive'] = async (queue, { signal, max }) => {
          await of.clock.wait(MINUTE, signal);
          return of.hints.receive(queue, max);
        };
        return { source: { ...memory, receive: late } };
      },
    });
    const { id } = await rig.client.enqueue(work, {});
    await pass(rig, SECOND);
    stop.abort();
    await rig.until(ended);
    expect(rig.hints.nextVisibleAt()).toBeLessThanOrEqual(rig.clock.now());
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready' });
  });
});

it('a worker outside Lambda that is told to stop waits until a message is on its way back', async () => {
  const { rig, stop, ended } = started((of) => [work.handle(({ signal }) => of().clock.wait(10 * MINUTE, signal))]);
  await rig.client.enqueue(work, {});
  await pass(rig, 5 * SECOND);
  let back = 0;
  rig.hints.postpone = async () => {
    await rig.clock.wait(5 * SECOND);
    back += 1;
  };
  // Marked as one that may have killed a process: it comes back while another runs.
  const { id } = await rig.client.enqueue(defineJob('other', { payload: anyPayload }), {});
  for (const message of rig.hints.receive(STANDARD, 10)) rig.hints.acknowledge(message);
  rig.hints.inject(STANDARD, JSON.stringify({ v: 1, id, n: 1, alone: 1 }));
  await pass(rig, 2 * SECOND, 500);
  stop.abort();
  await rig.until(ended);
  expect(back).toBe(1);
});

describe('a worker outside Lambda whose handler does not end', () => {
  it.each([
    ['as long as running jobs are given, if that is less', SECOND, SECOND],
    ['half the margin of a lease otherwise', 10 * MINUTE, 5 * SECOND],
  ])('lets the others go on for %s', async (_, drainMs, givenMs) => {
    let [begunAt, interruptedAt] = [0, 0];
    const { rig, ended } = started(
      (of) => [
        deaf.handle(() => {
          begunAt = of().clock.now();
          return never();
        }),
        work.handle(async ({ signal }) => {
          await of().clock.wait(10 * MINUTE, signal);
          interruptedAt = of().clock.now();
        }),
      ],
      { terms: () => ({ drainMs }) },
    );
    await rig.client.enqueue(deaf, {});
    await rig.client.enqueue(work, {});
    await expect(rig.until(ended, 500)).rejects.toThrow(SandboxEndedError);
    expect(interruptedAt - begunAt).toBe(10 * SECOND + rig.deployment.settings.abortGraceMs + givenMs);
  });

  it('tells that before it ends, and leaves nothing at the signal that would have stopped it', async () => {
    const told: string[] = [];
    const deps = (rig: Rig): Partial<ExecutorDeps> => ({
      journal: {
        ...rig.deps.journal,
        record: ({ event }) => void (event === 'sandbox-ended' && told.push(event)),
        flush: () => void told.push('flush'),
      },
      sandbox: { end: () => void told.push('end') },
    });
    const { rig, stop, ended } = started(() => [deaf.handle(never)], { deps });
    await rig.client.enqueue(deaf, {});
    await expect(rig.until(ended, SECOND)).rejects.toThrow(SandboxEndedError);
    expect(told.slice(-3)).toEqual(['sandbox-ended', 'flush', 'end']);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('is gone before another may run its job, however long handlers are given to end', async () => {
    let ends = 0;
    const { rig } = started(() => [work.handle(never)], {
      options: { settings: { abortGraceMs: MINUTE } },
      deps: () => ({ sandbox: { end: () => void ends++ } }),
    });
    const { id } = await rig.client.enqueue(work, {});
    await pass(rig, SECOND);
    const lockExpiresAt = Date.parse(String((await rig.tables.get('jobs', { id }))?.['lockExpiresAt']));
    rig.tables.write = async () => {
      throw new Error('down');
    };
    while (rig.clock.now() < lockExpiresAt - 2 * SECOND) await pass(rig, SECOND);
    expect(ends).toBe(1);
  });

  it('tells the others that their time is over, also when there is none left to wait for them', async () => {
    let [told, beside]: (AbortSignal | boolean | undefined)[] = [];
    const { rig } = started(
      () => [
        deaf.handle(never),
        work.handle(async ({ signal }) => {
          beside = signal;
          return never();
        }),
      ],
      {
        options: { settings: { abortGraceMs: MINUTE } },
        deps: () => ({ sandbox: { end: () => void (told = beside instanceof AbortSignal && beside.aborted) } }),
      },
    );
    const { id } = await rig.client.enqueue(deaf, {});
    await pass(rig, SECOND);
    const lockExpiresAt = Date.parse(String((await rig.tables.get('jobs', { id }))?.['lockExpiresAt']));
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (one, window) => {
      if (one.op === 'update' && one.key['id'] === id) throw new Error('down');
      return write(one, window);
    };
    while (rig.clock.now() < lockExpiresAt - 20 * SECOND) await pass(rig, SECOND);
    await rig.client.enqueue(work, {});
    await pass(rig, 5 * SECOND);
    expect(beside).toMatchObject({ aborted: false });
    while (rig.clock.now() < lockExpiresAt) await pass(rig, SECOND);
    expect(told).toBe(true);
  });

  it('holds the retry of a job back until the lease ends that it has by then, also when it told its progress before', async () => {
    const slow = defineJob('slow', { payload: anyPayload, timeout: 'PT50S', retry: 'R3/PT1S' });
    const { rig, ended } = started(() => [
      slow.handle(({ progress }) => {
        progress(10);
        return never();
      }),
    ]);
    const { id } = await rig.client.enqueue(slow, {});
    const begun = rig.clock.now();
    await expect(rig.until(ended, SECOND)).rejects.toThrow(SandboxEndedError);
    expect((await rig.client.get(id))?.dueAt.getTime()).toBeGreaterThanOrEqual(begun + 40 * SECOND + MINUTE);
  });
});
