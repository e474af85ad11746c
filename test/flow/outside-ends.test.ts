import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { defineJob, type HandledJob } from '../../shared/core/job-type.ts';
import { createMemoryHintSource } from '../../shared/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { SandboxEndedError } from '../../shared/worker/execute-batch.ts';
import { Crew, type CrewTerms } from '../../shared/worker/outside/crew.ts';
import type { ExecutorParts } from '../../shared/worker/parts.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const STANDARD = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });
const deaf = defineJob('deaf', { payload: anyPayload, timeout: 'PT10S' });
const never = (): Promise<never> => new Promise(() => {});

type Started = { readonly rig: Rig; readonly stop: AbortController; readonly ended: Promise<void>; readonly source: HintSource };

/** A crew at work; time goes on by `pass`. */
function started(
  handlers: (rig: () => Rig) => readonly HandledJob[],
  given: { options?: RigOptions; parts?: (rig: Rig) => Partial<ExecutorParts>; terms?: (rig: Rig) => Partial<CrewTerms> } = {},
): Started {
  const rig: Rig = new Rig({ handlers: handlers(() => rig), ...given.options });
  const stop = new AbortController();
  const source = createMemoryHintSource(rig.hints, rig.clock);
  const terms = { source, queues: [STANDARD], concurrency: 2, drainMs: SECOND, stop: stop.signal, ...given.terms?.(rig) };
  const ended = new Crew({ ...rig.parts, ...given.parts?.(rig) }, terms).work();
  ended.catch(() => {});
  return { rig, stop, ended, source };
}

async function pass(rig: Rig, ms: number, stepMs = SECOND): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await rig.settle();
    await rig.clock.advance(stepMs);
  }
  await rig.settle();
}

describe('a worker outside Lambda that is told to stop', () => {
  it('waits for no poll, and tells what it has to', async () => {
    let flushes = 0;
    const journal = (rig: Rig) => ({ ...rig.parts.journal, flush: () => void flushes++ });
    const { rig, stop, ended } = started(() => [], { parts: (of) => ({ journal: journal(of) }) });
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
    const parts = (rig: Rig): Partial<ExecutorParts> => ({
      journal: {
        ...rig.parts.journal,
        record: ({ event }) => void (event === 'sandbox-ended' && told.push(event)),
        flush: () => void told.push('flush'),
      },
      sandbox: { end: () => void told.push('end') },
    });
    const { rig, stop, ended } = started(() => [deaf.handle(never)], { parts });
    await rig.client.enqueue(deaf, {});
    await expect(rig.until(ended, SECOND)).rejects.toThrow(SandboxEndedError);
    expect(told.slice(-3)).toEqual(['sandbox-ended', 'flush', 'end']);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('is gone before another may run its job, however long handlers are given to end', async () => {
    let ends = 0;
    const { rig } = started(() => [work.handle(never)], {
      options: { settings: { abortGraceMs: MINUTE } },
      parts: () => ({ sandbox: { end: () => void ends++ } }),
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

describe('a worker outside Lambda', () => {
  it('leaves no message of a job that is another’s by now', async () => {
    const { rig } = started((of) => [work.handle(({ signal }) => of().clock.wait(10 * MINUTE, signal))]);
    const { id } = await rig.client.enqueue(work, {});
    await pass(rig, 5 * SECOND);
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/other' } });
    await pass(rig, 25 * SECOND);
    expect(rig.journal.count('lost-lease')).toBe(1);
    expect(rig.hints.nextVisibleAt()).toBeUndefined();
  });

  it('starts a job although its report hangs', async () => {
    let runs = 0;
    const parts = () => ({ reporter: { report: never } });
    const { rig } = started(() => [work.handle(() => void runs++)], { parts });
    await rig.client.enqueue(work, {});
    await pass(rig, SECOND);
    expect(runs).toBe(1);
  });

  it('tells after each job what there is to tell, its report and its batches first', async () => {
    const seen: string[] = [];
    const { rig, stop, ended } = started(() => [work.handle(() => undefined)], {
      parts: (of) => ({
        journal: { ...of.parts.journal, flush: () => void seen.push('journal') },
        reporter: { report: async () => void seen.push('report') },
        flushEvents: async () => void seen.push('events'),
      }),
    });
    await pass(rig, SECOND);
    await rig.client.enqueue(work, {});
    await pass(rig, 5 * SECOND);
    expect(seen.slice(seen.indexOf('events') - 1)).toEqual(['report', 'events', 'journal']);
    stop.abort();
    await rig.until(ended);
  });

  it('goes on after a message that it could not pass on at all', async () => {
    const { rig, stop, ended } = started(() => [work.handle(() => undefined)]);
    const grouped = await rig.client.enqueue(work, {}, { group: 'g' });
    const [hint] = rig.queues.flatMap((queue) => rig.hints.receive(queue, 10));
    rig.hints.inject(STANDARD, hint?.body ?? '');
    const send = rig.hints.send.bind(rig.hints);
    rig.hints.send = async () => {
      throw new Error('no answer');
    };
    await pass(rig, 5 * SECOND);
    expect(rig.journal.count('store-failed')).toBe(1);
    rig.hints.send = send;
    const { id } = await rig.client.enqueue(work, {});
    await pass(rig, 25 * SECOND);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished' });
    expect(await rig.client.get(grouped.id)).toMatchObject({ state: 'ready' });
    stop.abort();
    await rig.until(ended);
  });

  it('asks a queue that does not answer once in half a minute at least', async () => {
    const asked: number[] = [];
    const { rig, stop, ended } = started(() => [], {
      parts: (of) => ({ entropy: { ...of.parts.entropy, random: () => 1 } }),
      terms: (of) => ({
        source: {
          acknowledge: async () => {},
          receive: async () => {
            asked.push(of.clock.now());
            throw new Error('no answer');
          },
        },
      }),
    });
    await pass(rig, 4 * MINUTE, 500);
    const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * SECOND));
    stop.abort();
    await rig.until(ended);
  });

  it('starts what came in while a suspect ran when that has ended, and keeps its message no longer', async () => {
    const ends: (() => void)[] = [];
    const lanes = { default: { lanes: { fast: 'q/fast', slow: 'q/slow' }, from: { fast: 5 } } };
    const suspects = new Set<string>();
    const { rig, stop, ended } = started(() => [work.handle(() => new Promise<void>((resolve) => void ends.push(resolve)))], {
      options: { workers: lanes },
      terms: (of) => {
        const memory = createMemoryHintSource(of.hints, of.clock);
        const receive: HintSource['receive'] = async (...args) =>
          (await memory.receive(...args)).map((one) =>
            [...suspects].some((id) => one.body.includes(id)) ? { ...one, receiveCount: 9 } : one,
          );
        return { queues: of.queues, source: { ...memory, receive } };
      },
    });
    await pass(rig, SECOND);
    const first = await rig.client.enqueue(work, {}, { priority: 9 });
    suspects.add(first.id);
    await pass(rig, 2 * SECOND);
    const second = await rig.client.enqueue(work, {}, { priority: 0 });
    await pass(rig, 2 * SECOND);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await pass(rig, SECOND);
    expect(await rig.client.get(second.id)).toMatchObject({ state: 'running' });
    ends[1]?.();
    await pass(rig, SECOND);
    let postponed = 0;
    rig.hints.postpone = async () => void postponed++;
    await pass(rig, 3 * MINUTE, 5 * SECOND);
    expect(postponed).toBe(0);
    stop.abort();
    await rig.until(ended);
    expect(rig.journal.count('completed')).toBe(2);
  });
});
