import { describe, expect, test } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECOND = 1_000;
const STANDARD = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const convert = defineJob('convert', { payload: anyPayload });

/** A session over the standard queue that notes what it asks for; `alter` changes what it is given. */
function stage(alter: Partial<HintSource> = {}) {
  const rig = new Rig();
  const asked: Parameters<HintSource['receive']>[1][] = [];
  const memory = createMemoryHintSource(rig.hints, rig.clock);
  const source: HintSource = {
    ...memory,
    receive: async (queue, terms) => {
      asked.push(terms);
      return memory.receive(queue, terms);
    },
    ...alter,
  };
  const worker = externalOver({ ...rig.deps, handlers: new EveryType('default', []) }, { source, queues: [STANDARD] });
  return { rig, asked, worker, fetch: async (n: number, wait = 0) => rig.until(worker.fetchAndLock(n, 'PT1M', { wait })) };
}

describe('an external worker asks its queue', () => {
  test('for no more than it wants, and never for more than ten', async () => {
    const { rig, asked, fetch } = stage();
    for (let n = 0; n < 15; n++) await rig.client.enqueue(convert, { n });
    expect(await fetch(12)).toHaveLength(12);
    expect(asked.map(({ max }) => max)).toEqual([10, 2]);
  });

  test('for twenty seconds at most', async () => {
    const waits: number[] = [];
    const { fetch } = stage({
      receive: async (_, { waitMs }) => {
        waits.push(waitMs);
        return [];
      },
    });
    expect(await fetch(1, 60 * SECOND)).toEqual([]);
    expect(waits).toEqual([0, 20 * SECOND]);
  });
});

describe('a task that is handed out', () => {
  test('has its message acknowledged after its job was locked, and is handed out although that fails', async () => {
    const owners: unknown[] = [];
    const { rig, fetch } = stage({
      acknowledge: async () => {
        owners.push(...(await rig.rows('jobs')).map((row) => String(row['lockOwner']).split('/')[0]));
        throw new Error('no answer');
      },
    });
    await rig.client.enqueue(convert, {});
    expect(await fetch(1)).toHaveLength(1);
    expect(owners).toEqual(['run']);
    expect(rig.journal.count('send-failed')).toBe(1);
  });

  test('carries the trace context of its producer', async () => {
    const { rig, fetch } = stage();
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };
    await rig.client.enqueue(convert, {}, trace);
    expect(await fetch(1)).toMatchObject([trace]);
  });

  test('tells how long its job waited, never less than nothing', async () => {
    const { rig, fetch } = stage();
    await rig.client.enqueue(convert, {});
    await rig.clock.advance(3 * SECOND);
    await fetch(1);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'started', queueDelayMs: 3 * SECOND }));
  });

  test('tells no delay below nothing when its clock was set back', async () => {
    const { rig, fetch } = stage();
    await rig.client.enqueue(convert, {});
    let offset = 0;
    const now = rig.clock.now.bind(rig.clock);
    rig.clock.now = () => now() + offset;
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (...args) => {
      offset = -5 * SECOND;
      return write(...args);
    };
    await fetch(1);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'started', queueDelayMs: 0 }));
  });

  test('is told at once', async () => {
    const { rig, fetch } = stage();
    let started = 0;
    rig.journal.flush = () => void (started = rig.journal.count('started'));
    await rig.client.enqueue(convert, {});
    await fetch(1);
    expect(started).toBe(1);
  });

  test('is told at once when it is answered', async () => {
    const { rig, worker, fetch } = stage();
    await rig.client.enqueue(convert, {});
    const [task] = await fetch(1);
    let completed = 0;
    rig.journal.flush = () => void (completed = rig.journal.count('completed'));
    await worker.complete(task?.id ?? '', task?.token ?? '');
    expect(completed).toBe(1);
  });

  test('stands alone if its last lock ran out: what comes with it waits', async () => {
    const { rig, fetch } = stage();
    const suspect = await rig.client.enqueue(convert, {});
    await take(rig, suspect.id, SECOND, false);
    await rig.clock.advance(2 * SECOND);
    const other = await rig.client.enqueue(convert, {});
    const [task, ...more] = await fetch(5);
    expect(task).toMatchObject({ id: suspect.id, attempt: 2 });
    expect(more).toEqual([]);
    expect(await rig.client.get(other.id)).toMatchObject({ state: 'ready' });
    await rig.clock.advance(5 * SECOND);
    expect(await fetch(5)).toMatchObject([{ id: other.id }]);
  });
});
