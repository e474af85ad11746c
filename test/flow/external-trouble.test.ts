import { describe, expect, test } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import type { HintSource } from '../../shared/ports/hint-source.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import type { External } from '../../functions/worker/external/external.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { createRulesCache } from '../../functions/executor/gates/rules.ts';
import { type FaultyRig, faultyRig, take } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const convert = defineJob('convert', { payload: anyPayload, retry: 'R3/PT1M' });
const grouped = defineJob('grouped', { payload: anyPayload, group: 'g' });

function session(
  rig: FaultyRig,
  source: HintSource = createMemoryHintSource(rig.hints, rig.clock),
  tables: Tables = rig.deps.tables,
): External {
  const deps = { ...rig.deps, tables, rules: createRulesCache(), handlers: new EveryType('default', [convert]) };
  return externalOver(deps, { source, queues: rig.queues });
}

const fetch = async (rig: FaultyRig, n = 5, worker = session(rig)) => rig.until(worker.fetchAndLock(n, 'PT1M'));
const row = async (rig: FaultyRig, id: string) => rig.tables.get('jobs', { id });

/** Fetches in a process that stands still when its first write of that kind has been applied. */
async function fetchStandingStill(type: typeof convert, { op, table }: Pick<Write, 'op' | 'table'>) {
  const rig = faultyRig();
  const { id } = await rig.client.enqueue(type, {});
  const { tables } = rig.deps;
  let standsStill = true;
  const thenStill: Tables = Object.create(tables, {
    write: {
      value: async (...[write, window]: Parameters<Tables['write']>) => {
        const outcome = await tables.write(write, window);
        if (standsStill && write.op === op && write.table === table) await rig.clock.advance(2 * MINUTE);
        standsStill = false;
        return outcome;
      },
    },
  });
  const tasks = await fetch(rig, 5, session(rig, undefined, thenStill));
  const reasons = rig.journal.entries.filter(({ event }) => event === 'given-back').map(({ reason }) => reason);
  return { tasks, reasons, again: { id, attempt: 1, lockedUntil: new Date(rig.clock.now() + MINUTE) } };
}

describe('a job that an external worker cannot be handed now', () => {
  test('is given back when the store does not say whether it is suspended; its message comes back after the margin', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(grouped, {});
    rig.faults.unreadable((read) => read.op === 'query' && read.table === 'control');
    expect(await fetch(rig)).toEqual([]);
    expect(String((await row(rig, id))?.['lockOwner'])).toMatch(/^queue\//);
    expect(rig.journal.count('store-failed')).toBe(1);
    expect(rig.hints.nextVisibleAt()).toBe(rig.clock.now() + rig.deployment.settings.leaseMarginMs);
    expect((await rig.rows('control')).filter((one) => one['lockOwner'] !== undefined)).toEqual([]);
  });

  test('comes back a little later when its last lock ran out and others were handed out already', async () => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(convert, {});
    const { id } = await rig.client.enqueue(convert, {});
    await take(rig, id, SECOND, false);
    await rig.clock.advance(2 * SECOND);
    const memory = createMemoryHintSource(rig.hints, rig.clock);
    let received = 0;
    const counting: HintSource = {
      ...memory,
      receive: async (...args) => {
        const messages = await memory.receive(...args);
        received += messages.length;
        return messages;
      },
    };
    expect(await fetch(rig, 5, session(rig, counting))).toMatchObject([{ id: first.id }]);
    expect(received).toBe(2);
    expect(rig.hints.nextVisibleAt()).toBe(rig.clock.now() + 5 * SECOND);
    await rig.clock.advance(5 * SECOND);
    expect(await fetch(rig)).toMatchObject([{ id, attempt: 2 }]);
  });

  test('waits a little when it was redelivered and others were handed out already', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(convert, {});
    const [message] = rig.queues.flatMap((queue) => rig.hints.receive(queue, 1));
    if (message === undefined) throw new Error('no message');
    await rig.hints.postpone(message, SECOND);
    const first = await rig.client.enqueue(convert, {});
    const memory = createMemoryHintSource(rig.hints, rig.clock);
    const inOrder: HintSource = {
      ...memory,
      receive: async (...args) => (await memory.receive(...args)).toSorted((a, b) => a.receiveCount - b.receiveCount),
    };
    await rig.clock.advance(SECOND);
    expect(await fetch(rig, 5, session(rig, inOrder))).toMatchObject([{ id: first.id }]);
    expect(rig.hints.nextVisibleAt()).toBe(rig.clock.now() + 5 * SECOND);
    expect(String((await row(rig, id))?.['lockOwner'])).toMatch(/^queue\//);
  });

  test('is given back when the process stood still since it locked the group, until that lock was over', async () => {
    const { tasks, reasons, again } = await fetchStandingStill(grouped, { op: 'put', table: 'control' });
    expect(reasons).toEqual(['lease-over']);
    expect(tasks).toMatchObject([again]);
  });

  test('is given back when the process stood still since it claimed the job, until that lock was over', async () => {
    const { tasks, reasons, again } = await fetchStandingStill(convert, { op: 'update', table: 'jobs' });
    expect(reasons).toEqual(['lease-over']);
    expect(tasks).toMatchObject([again]);
  });

  test('comes back when the lock of its group is over', async () => {
    const rig = faultyRig();
    await rig.client.enqueueMany(grouped, [{ n: 1 }, { n: 2 }]);
    const [task] = await fetch(rig);
    const [lock] = (await rig.rows('control')).filter((one) => one['lockOwner'] !== undefined);
    await rig.clock.advance(10 * SECOND);
    expect(await fetch(rig)).toEqual([]);
    expect(rig.hints.nextVisibleAt()).toBe(Date.parse(String(lock?.['lockExpiresAt'])));
    const other = (await rig.rows('jobs')).find(({ id }) => id !== task?.id);
    expect(other).toMatchObject({ lockOwner: expect.stringMatching(/^queue\//), rev: 1 });
  });
});

describe('a job whose payload cannot be read', () => {
  test('is a dead letter at once, and its message is gone', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(convert, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { payload: '{"' } });
    expect(await fetch(rig)).toEqual([]);
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({
      id,
      errorMessage: expect.stringContaining('The stored payload is not JSON.'),
    });
    expect(rig.hints.nextVisibleAt()).toBeUndefined();
  });

  test('is given back when the store does not take its death', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(convert, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { payload: '{"' } });
    rig.faults.next(aimAt('put', 'deadLetters'), 'unavailable', 3);
    expect(await fetch(rig)).toEqual([]);
    expect(rig.faults.pending()).toBe(0);
    expect(String((await row(rig, id))?.['lockOwner'])).toMatch(/^queue\//);
    await rig.clock.advance(MINUTE);
    expect(await fetch(rig)).toEqual([]);
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ id, crashes: 0 });
  });

  test('ends as cancelled when a cancel is requested meanwhile', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueue(convert, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { payload: '{"' } });
    rig.faults.before(aimAt('put', 'deadLetters'), async () => rig.client.cancel(id));
    expect(await fetch(rig)).toEqual([]);
    expect(rig.faults.pending()).toBe(0);
    expect(rig.journal.count('cancelled')).toBe(1);
  });
});

describe('what ends while tasks are fetched', () => {
  const expiring = defineJob('convert', { payload: anyPayload, startWithin: 'PT1M' });

  test('settles its batch at once', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueueBatch(expiring, [{}]);
    await rig.clock.advance(2 * MINUTE);
    expect(await fetch(rig)).toEqual([]);
    expect(await rig.client.batch(id)).toMatchObject({ state: 'finished' });
  });

  test('settles its batch also when the fetch fails afterwards', async () => {
    const rig = faultyRig();
    const { id } = await rig.client.enqueueBatch(expiring, [{}]);
    await rig.clock.advance(2 * MINUTE);
    const memory = createMemoryHintSource(rig.hints, rig.clock);
    let asked = 0;
    const failing: HintSource = {
      ...memory,
      receive: async (...args) => {
        if (asked++ > 0) throw new Error('no answer');
        return memory.receive(...args);
      },
    };
    await expect(fetch(rig, 5, session(rig, failing))).rejects.toThrow('no answer');
    expect(await rig.client.batch(id)).toMatchObject({ state: 'finished' });
  });

  test('has the attempt in History that its unreadable payload cost', async () => {
    const rig = faultyRig({ history: 'attempts' });
    const { id } = await rig.client.enqueue(convert, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { payload: '{"' } });
    expect(await fetch(rig)).toEqual([]);
    expect((await rig.client.history(id)).attempts).toMatchObject([{ attempt: 1, outcome: 'dead-lettered' }]);
  });
});

describe('a lock', () => {
  test('is told to end before that of its group does, which was taken a moment earlier', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(grouped, {});
    const begun = rig.clock.now();
    rig.faults.before(
      (writes) => writes.some(({ table }) => table === 'control'),
      async () => rig.clock.advance(5 * SECOND),
    );
    const [task] = await fetch(rig);
    expect(rig.clock.now()).toBe(begun + 5 * SECOND);
    expect(task?.lockedUntil.getTime()).toBe(begun + MINUTE);
  });

  test('is told to end before that of its group does, also when it is extended by less than it has left', async () => {
    const rig = faultyRig();
    await rig.client.enqueueMany(grouped, [{ n: 1 }, { n: 2 }]);
    const begun = rig.clock.now();
    rig.faults.before(
      (writes) => writes.some(({ table }) => table === 'control'),
      async () => rig.clock.advance(5 * SECOND),
    );
    const [task] = await fetch(rig);
    const until = new Date(begun + MINUTE);
    const extended = await session(rig).extendLock(task?.id ?? '', task?.token ?? '', 'PT10S');
    expect(extended).toEqual({ result: 'extended', lockedUntil: until });
  });

  test('ends a moment before that of its group, also when it was extended', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(grouped, {});
    const [task] = await fetch(rig);
    const lockOf = async () =>
      Date.parse(String((await rig.rows('control')).find((one) => one['lockOwner'] !== undefined)?.['lockExpiresAt']));
    expect(await lockOf()).toBeGreaterThan(rig.clock.now() + MINUTE);
    await session(rig).extendLock(task?.id ?? '', task?.token ?? '', 'PT2M');
    expect(await lockOf()).toBeGreaterThan(rig.clock.now() + 2 * MINUTE);
  });

  test('of a group that cannot be given back does not take the answer back: it expires', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(grouped, {});
    const [task] = await fetch(rig);
    rig.faults.next(aimAt('delete', 'control'), 'unavailable');
    expect(await session(rig).complete(task?.id ?? '', task?.token ?? '')).toEqual({ result: 'completed' });
    expect(rig.faults.pending()).toBe(0);
    expect(rig.journal.count('store-failed')).toBe(1);
  });
});
