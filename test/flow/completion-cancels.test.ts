import { describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { type CancelByKey, defineJob } from '../../shared/job/job-type.ts';
import { complete } from '../../shared/job/verdict.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { uniqueKeyKey } from '../../shared/store/control-rows.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const HOUR = 3_600_000;
const task = defineJob('task', { payload: anyPayload, retry: 'R3/PT1M' });
const timer = defineJob('timer', { payload: anyPayload, retry: 'R1/PT1M' });
const guard: CancelByKey = { type: timer, key: 'k' };

/** A task that cancels what it is told, and timers that note that they ran. */
function stage(cancel: readonly CancelByKey[] = [guard], options: RigOptions = {}, more: object = {}) {
  const ran: unknown[] = [];
  const rig = faultyRig({
    handlers: [
      task.handle(() => complete({ cancel, ...more })),
      timer.handle(({ payload }) => {
        if (payload['fails'] === true) throw new Error('no');
        ran.push(payload['n']);
      }),
    ],
    ...options,
  });
  return { rig, admin: createAdminOver(rig.deps), ran };
}

const stateOf = async (rig: Rig, id: string) => (await rig.client.get(id))?.state;
const keyRow = async (rig: Rig, key = 'k', tenant?: string) => rig.tables.get('control', uniqueKeyKey(uniqueKeyHash('timer', tenant, key)));
describe('a completion that cancels', () => {
  it('ends a timer with itself, frees its key, and keeps who cancelled it and why', async () => {
    const { rig, admin, ran } = stage([{ ...guard, reason: 'answered' }]);
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    const main = await rig.client.enqueue(task, {});
    await rig.drain();
    expect(await stateOf(rig, main.id)).toBe('finished');
    expect(await admin.find(id)).toMatchObject({
      state: 'finished',
      outcome: 'cancelled',
      cancelReason: 'answered',
      cancelledBy: `job ${main.id}`,
    });
    expect(await keyRow(rig)).toBeUndefined();
    expect(rig.journal.entries.filter(({ event }) => event === 'cancelled')).toMatchObject([{ job: { id }, reason: 'completion' }]);
    await rig.clock.advance(2 * HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual([]);
  });

  it('ends jobs that are ready, suspended or parked, of a batch, of another tenant, and of each key once', async () => {
    const tenant = 'acme';
    const { rig, admin, ran } = stage([
      { type: timer, key: 'ready' },
      { type: timer, key: 'ready' },
      { type: timer, key: 'stopped' },
      { type: timer, key: 'child' },
      { type: timer, key: 'other', tenant: 'umbrella' },
    ]);
    const later = { delay: HOUR, tenant };
    const stopped = await rig.client.enqueue(timer, { n: 2 }, { ...later, key: 'stopped' });
    await admin.breakpoint(stopped.id, { reason: 'look' });
    const other = await rig.client.enqueue(timer, { n: 3 }, { delay: HOUR, tenant: 'umbrella', key: 'other' });
    const batch = await rig.client.createBatch({ tenant });
    const child = await batch.enqueue(timer, { n: 4 }, { delay: HOUR, key: 'child' });
    await batch.seal();
    const main = await rig.client.enqueue(task, {}, { tenant });
    const taken = rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10);
    const ready = await rig.client.enqueue(timer, { n: 1 }, { tenant, key: 'ready' });
    await rig.execute(taken);
    expect(await stateOf(rig, main.id)).toBe('finished');
    for (const { id } of [stopped, other, child, ready]) expect(await admin.find(id)).toMatchObject({ outcome: 'cancelled' });
    expect(await rig.client.batch(batch.id)).toMatchObject({ state: 'finished', cancelled: 1, pending: 0 });
    await rig.drain();
    expect(ran).toEqual([]);
  });

  it('asks one that runs to stop, and the first of two that cancel each other ends the other', async () => {
    let signals = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { rig, admin } = stage([guard], {
      handlers: [
        task.handle(() => complete({ cancel: [guard] })),
        timer.handle(async ({ signal }) => {
          signal.addEventListener('abort', () => signals++);
          await held;
          return complete({ cancel: [{ type: task, key: 'main' }], enqueue: [followUp(task, {})] });
        }),
      ],
    });
    const { id } = await rig.client.enqueue(timer, {}, { key: 'k' });
    const running = rig.deliver();
    await rig.settle();
    const main = await rig.client.enqueue(task, {}, { key: 'main' });
    await rig.until(rig.deliver(), 1_000);
    expect(await stateOf(rig, main.id)).toBe('finished');
    expect(await rig.tables.get('jobs', { id })).toMatchObject({ cancelRequested: true, cancelledBy: `job ${main.id}` });
    await rig.clock.advance(6_000);
    await rig.settle();
    expect(signals).toBe(1);
    release();
    await rig.until(running, 1_000);
    expect(await admin.find(id)).toMatchObject({ outcome: 'cancelled' });
    expect(await admin.find(main.id)).toMatchObject({ outcome: 'completed' });
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('leaves alone what has ended, what never was, a damaged row and itself', async () => {
    const { rig, admin } = stage([
      { type: timer, key: 'dead' },
      { type: timer, key: 'done' },
      { type: timer, key: 'nobody' },
      { type: timer, key: 'damaged' },
      { type: task, key: 'me' },
    ]);
    const dead = await rig.client.enqueue(timer, { fails: true }, { key: { value: 'dead', for: HOUR } });
    await rig.client.enqueue(timer, { n: 1 }, { key: { value: 'done', for: HOUR } });
    await rig.drain();
    const damaged = await rig.client.enqueue(timer, {}, { key: 'damaged', delay: HOUR });
    const [row] = await rig.rows('timers');
    await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, rev: 'x' } });
    const main = await rig.client.enqueue(task, {}, { key: 'me' });
    await rig.drain();
    expect(await admin.find(main.id)).toMatchObject({ outcome: 'completed' });
    expect(await stateOf(rig, dead.id)).toBe('dead');
    expect((await rig.rows('timers')).map(({ id }) => id)).toEqual([damaged.id]);
    expect(await keyRow(rig, 'damaged')).toMatchObject({ jobId: damaged.id });
  });

  it('goes by the tenant of its job, and refuses what is no key before anything is written', async () => {
    const { rig } = stage([guard]);
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR, tenant: 'acme' });
    await rig.client.enqueue(task, {});
    await rig.drain();
    expect(await stateOf(rig, id)).toBe('waiting');
    await rig.client.enqueue(task, {}, { tenant: 'acme' });
    await rig.drain();
    expect(await stateOf(rig, id)).toBe('finished');
    const other = stage([{ ...guard, tenant: '' }]);
    const free = await other.rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    await other.rig.client.enqueue(task, {}, { tenant: 'acme' });
    await other.rig.drain();
    expect(await stateOf(other.rig, free.id)).toBe('finished');
  });

  it.each([
    ['no key', [{ type: timer, key: '' }], /cancel\.0\.key/],
    ['no type', [guard, { key: 'k' }], /that defineJob made/],
    ['an unknown field', [{ ...guard, id: 'x' }], /cancel\.0: "id"/],
    ['a tenant that is none', [{ ...guard, tenant: 7 }], /cancel\.0\.tenant/],
    ['a reason that is none', [{ ...guard, reason: 7 }], /cancel\.0\.reason/],
    ['no list', 'k', /cancel/],
    ['too many', Array.from({ length: 19 }, (_, n) => ({ type: timer, key: String(n) })), /101 writes/],
  ])('is a dead letter with the reason, and cancels nothing: %s', async (_, cancel, message) => {
    const { rig } = stage(cancel as never);
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    await rig.client.enqueue(task, {});
    await rig.drain();
    const [dead] = await rig.rows('deadLetters');
    expect(String(dead?.['errorMessage'])).toMatch(message);
    expect(await stateOf(rig, id)).toBe('waiting');
  });

  it('takes eighteen keys, and refuses one that a follow-up takes', async () => {
    const { rig } = stage(Array.from({ length: 18 }, (_, n) => ({ type: timer, key: String(n) })));
    for (const key of ['0', '17']) await rig.client.enqueue(timer, {}, { key, delay: HOUR });
    await rig.client.enqueue(task, {});
    await rig.drain();
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0 });
    const other = stage([guard], {}, { enqueue: [followUp(timer, {}, { key: 'k' })] });
    await other.rig.client.enqueue(task, {});
    await other.rig.drain();
    expect((await other.rig.rows('deadLetters'))[0]?.['errorMessage']).toMatch(/follow-up/);
  });
});

describe('a completion whose job to cancel changes before the transaction', () => {
  it.each([
    ['is rescheduled', async (rig: Rig, id: string) => rig.client.reschedule(id, { delay: 2 * HOUR }), 'cancelled'],
    ['is cancelled', async (rig: Rig, id: string) => rig.client.cancel(id, { reason: 'faster' }), 'cancelled'],
    ['is stopped', async (rig: Rig, id: string) => createAdminOver(rig.deps).breakpoint(id, { reason: 'r' }), 'cancelled'],
  ])('looks at it again: %s', async (_, meanwhile, outcome) => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    const main = await rig.client.enqueue(task, {});
    rig.faults.before(aimAt('delete', 'jobs'), async () => meanwhile(rig, id));
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(await admin.find(main.id)).toMatchObject({ outcome: 'completed' });
    expect(await admin.find(id)).toMatchObject({ state: 'finished', outcome });
    expect(await keyRow(rig)).toBeUndefined();
  });

  it('cancels who holds the key by then, and not who held it before', async () => {
    const { rig } = stage();
    const before = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    const after = await rig.client.enqueue(timer, { n: 2 }, { delay: HOUR });
    await rig.client.enqueue(task, {});
    const key = uniqueKeyKey(uniqueKeyHash('timer', undefined, 'k'));
    rig.faults.before(aimAt('delete', 'jobs'), async () =>
      rig.tables.write({ op: 'put', table: 'control', row: { ...key, jobId: after.id } }),
    );
    await rig.drain();
    expect([await stateOf(rig, before.id), await stateOf(rig, after.id)]).toEqual(['waiting', 'finished']);
  });

  it('is tried again when the store does not answer the look', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    await rig.client.enqueue(task, {});
    let failures = 0;
    rig.faults.unreadable((read) => read.op === 'get' && read.table === 'timers' && failures++ === 0);
    await rig.until(rig.drain(), 500);
    expect(failures).toBeGreaterThan(1);
    expect(await admin.find(id)).toMatchObject({ outcome: 'cancelled' });
  });

  it('looks again only at what changed, under another token', async () => {
    const { rig } = stage([guard, { type: timer, key: 'other' }]);
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    await rig.client.enqueue(timer, { n: 2 }, { key: 'other', delay: HOUR });
    await rig.client.enqueue(task, {});
    rig.faults.before(aimAt('delete', 'jobs'), async () => rig.client.reschedule(id, { delay: 2 * HOUR }));
    const get = vi.spyOn(rig.deps.tables, 'get');
    const transact = vi.spyOn(rig.deps.tables, 'transact');
    await rig.drain();
    const looksAt = (key: string) =>
      get.mock.calls.filter(([, { pk }]) => pk === uniqueKeyKey(uniqueKeyHash('timer', undefined, key))['pk']);
    expect([looksAt('k').length, looksAt('other').length]).toEqual([2, 1]);
    const ends = transact.mock.calls.filter(([writes]) => aimAt('delete', 'jobs')(writes));
    expect(new Set(ends.map(([, token]) => token)).size).toBe(2);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it.each(['lost-reply', 'unavailable'] as const)('is recorded once, whatever happens to the reply: %s', async (fault) => {
    const { rig, admin } = stage([guard], {}, { enqueue: [followUp(timer, { n: 2 })] });
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    const main = await rig.client.enqueue(task, {});
    rig.faults.next(aimAt('delete', 'jobs'), fault);
    await rig.until(rig.drain(), 500);
    expect(rig.faults.pending()).toBe(0);
    expect(await admin.find(main.id)).toMatchObject({ outcome: 'completed' });
    expect(await admin.find(id)).toMatchObject({ outcome: 'cancelled' });
    expect(rig.journal.count('cancelled')).toBe(1);
    expect(rig.journal.count('lost-lease')).toBe(0);
  });

  it('gives up for now when it keeps changing, and is recorded by a later try', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(timer, { n: 1 }, { key: 'k', delay: HOUR });
    const main = await rig.client.enqueue(task, {});
    let moves = 0;
    const move = (): void =>
      rig.faults.before(aimAt('delete', 'jobs'), async () => {
        await rig.client.reschedule(id, { delay: HOUR + ++moves });
        if (moves < 7) move();
      });
    move();
    await rig.until(rig.drain(), 500);
    expect(moves).toBe(7);
    expect(await admin.find(main.id)).toMatchObject({ outcome: 'completed' });
    expect(await admin.find(id)).toMatchObject({ outcome: 'cancelled' });
  });
});
