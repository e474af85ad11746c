import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { NonRetryableError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { never, pass, STANDARD, started } from '../support/pool-at-work.ts';
import { anyPayload, type Rig } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });

describe('a worker outside Lambda', () => {
  it('leaves no message of a job that is another’s by now', async () => {
    const handlers = (of: () => Rig) => [work.handle(({ signal }) => of().clock.wait(10 * MINUTE, signal))];
    // The renewal notices before the look for a cancel request does.
    const { rig } = started(handlers, { options: { settings: { cancelPollMs: MINUTE } } });
    const { id } = await rig.client.enqueue(work, {});
    await pass(rig, 5 * SECOND);
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/other' } });
    await pass(rig, 25 * SECOND);
    expect(rig.journal.count('lost-lease')).toBe(1);
    expect(rig.hints.nextVisibleAt()).toBeUndefined();
  });

  it.each([
    ['told its progress before its lease was renewed', 10 * SECOND],
    ['told its progress after its lease was renewed', 30 * SECOND],
  ])('buries a job by one transaction that %s', async (_, toldMs) => {
    const { rig } = started((of) => [
      work.handle(async ({ progress }) => {
        await of().clock.wait(toldMs);
        progress(50);
        await of().clock.wait(35 * SECOND - toldMs);
        throw new NonRetryableError('no');
      }),
    ]);
    let deaths = 0;
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (writes, ...more) => {
      if (writes.some(({ table, op }) => table === 'jobs' && op === 'delete')) deaths += 1;
      return transact(writes, ...more);
    };
    await rig.client.enqueue(work, {});
    await pass(rig, 40 * SECOND);
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 1 });
    expect(deaths).toBe(1);
  });

  it.each([
    ['told no progress', undefined],
    ['told its progress before', 5 * SECOND],
    ['told its progress after', 30 * SECOND],
  ])('judges a job by the tries that an operator set while it ran and that %s', async (_, toldMs = 0) => {
    const { rig } = started((of) => [
      work.handle(async ({ progress }) => {
        await of().clock.wait(toldMs);
        if (toldMs > 0) progress(50);
        await of().clock.wait(35 * SECOND - toldMs);
        throw new Error('no');
      }),
    ]);
    const admin = createAdminOver(rig.deps);
    const { id } = await rig.client.enqueue(work, {}, { retry: 'R3/PT10M' });
    expect(await admin.setRetries(id, 1)).toBe('set');
    await pass(rig, 10 * SECOND);
    expect(await admin.setRetries(id, 5)).toBe('set');
    await pass(rig, 30 * SECOND);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
    expect(await rig.rows('jobs')).toMatchObject([{ triesLimit: 5, ...(toldMs > 0 ? { progress: 50 } : {}) }]);
  });

  it('starts a job although its report hangs', async () => {
    let runs = 0;
    const deps = () => ({ reporter: { report: never } });
    const { rig } = started(() => [work.handle(() => void runs++)], { deps });
    await rig.client.enqueue(work, {});
    await pass(rig, SECOND);
    expect(runs).toBe(1);
  });

  it('tells after each job what there is to tell, its report and its batches first', async () => {
    const seen: string[] = [];
    const { rig, stop, ended } = started(() => [work.handle(() => undefined)], {
      deps: (of) => ({
        journal: { ...of.deps.journal, flush: () => void seen.push('journal') },
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
      deps: (of) => ({ entropy: { ...of.deps.entropy, random: () => 1 } }),
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
    let postponed = 0;
    rig.hints.postpone = async () => void postponed++;
    const second = await rig.client.enqueue(work, {}, { priority: 0 });
    await pass(rig, 2 * SECOND);
    expect(ends).toHaveLength(1);
    // It was received just now, so it is hidden for long enough.
    expect(postponed).toBe(0);
    ends[0]?.();
    await pass(rig, SECOND);
    expect(await rig.client.get(second.id)).toMatchObject({ state: 'running' });
    ends[1]?.();
    await pass(rig, SECOND);
    postponed = 0;
    await pass(rig, 3 * MINUTE, 5 * SECOND);
    expect(postponed).toBe(0);
    stop.abort();
    await rig.until(ended);
    expect(rig.journal.count('completed')).toBe(2);
  });
});
