import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineLimit, tenantLimit } from '../../../../shared/job/limit.ts';
import type { HandledJob } from '../../../../shared/job/job-type.ts';
import { handOver } from '../../../../shared/features/limits/store/release-parked.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;

const two = defineLimit('two', { concurrency: 2 });
const perCustomer = defineLimit('per-customer', { concurrency: 1 }, { key: (payload: { customer?: string }) => payload.customer });
const slow = defineJob('slow', { payload: anyPayload, limits: [two], retry: 'R2/PT1S' });

/** Handlers that run until they are told to end, and who runs. */
class Gatekeeper {
  readonly running: number[] = [];
  readonly order: number[] = [];
  most = 0;
  readonly #ends = new Map<number, () => void>();

  handle(type: typeof slow): HandledJob {
    return type.handle(async ({ payload }) => {
      const n = Number(payload['n']);
      this.running.push(n);
      this.order.push(n);
      this.most = Math.max(this.most, this.running.length);
      await new Promise<void>((resolve) => this.#ends.set(n, resolve));
      this.running.splice(this.running.indexOf(n), 1);
      if (payload['fail'] === true) throw new Error('asked to');
    });
  }

  end(n: number): void {
    this.#ends.get(n)?.();
  }
}

/** Delivers what is visible, without waiting for handlers. */
async function deliver(rig: Rig): Promise<void> {
  for (let messages = rig.hints.receive(QUEUE, 10); messages.length > 0; messages = rig.hints.receive(QUEUE, 10)) {
    for (const message of messages) {
      // A sandbox whose handler never ends is ended, which its invocation tells by throwing.
      void rig.execute([message]).catch(() => undefined);
      await rig.settle();
    }
  }
}

async function crowd(count: number, options: RigOptions = {}): Promise<{ rig: Rig; keeper: Gatekeeper; ids: string[] }> {
  const keeper = new Gatekeeper();
  const rig = new Rig({ handlers: [keeper.handle(slow)], ...options });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await rig.client.enqueue(slow, { n })).id);
    await deliver(rig);
    await rig.clock.advance(1);
  }
  return { rig, keeper, ids };
}

const slots = async (rig: Rig) => (await rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'));
const states = async (rig: Rig, ids: readonly string[]) => Promise.all(ids.map(async (id) => (await rig.client.get(id))?.state));

describe('a limit on how many run at once', () => {
  it('runs so many, and parks the others without a message and without an attempt', async () => {
    const { rig, keeper, ids } = await crowd(4);
    expect(keeper.running).toEqual([0, 1]);
    expect(await states(rig, ids)).toEqual(['running', 'running', 'parked', 'parked']);
    expect((await rig.client.get(ids[2] ?? ''))?.attempts).toBe(0);
    expect(rig.journal.count('parked')).toBe(2);
    const before = rig.hints.nextVisibleAt();
    expect(before === undefined || before > rig.clock.now()).toBe(true);
  });

  it('hands the slot of a job that ends to the one that waits longest', async () => {
    const { rig, keeper, ids } = await crowd(6);
    for (const n of [0, 1, 2, 3, 4, 5]) {
      keeper.end(n);
      await rig.settle();
      await deliver(rig);
    }
    await rig.settle();
    expect(keeper.order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(keeper.most).toBe(2);
    expect(await states(rig, ids)).toEqual(Array.from({ length: 6 }, () => 'finished'));
    expect(await slots(rig)).toEqual([]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('gives the slot on whatever the outcome is', async () => {
    const keeper = new Gatekeeper();
    const one = defineJob('one', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })], retry: 'R2/PT1S' });
    const rig = new Rig({ handlers: [keeper.handle(one)] });
    await rig.client.enqueue(one, { n: 0, fail: true });
    await deliver(rig);
    await rig.client.enqueue(one, { n: 1 });
    await deliver(rig);
    keeper.end(0);
    await rig.settle();
    await deliver(rig);
    expect(keeper.running).toEqual([1]);
  });

  it('lets a newcomer wait behind those who are parked, even when there is room', async () => {
    const { rig, keeper, ids } = await crowd(3);
    keeper.end(0);
    await rig.settle();
    // The hint of the released job is still on its way.
    await rig.client.cancel(ids[2] ?? '');
    const late = await rig.client.enqueue(slow, { n: 9 });
    await deliver(rig);
    expect((await rig.client.get(late.id))?.state).toBe('parked');
  });

  it('releases at a tick what a dead holder left behind, and keeps its order', async () => {
    const rig = new Rig({ handlers: [] });
    const keeper = new Gatekeeper();
    Object.assign(rig.deps, { handlers: new Map([['slow', keeper.handle(slow)]]) });
    const { ids } = await fill(rig, 4);
    // Both holders die: their handlers never end.
    await rig.clock.advance(5 * MINUTE + 11 * SECOND);
    expect((await rig.fire()).released).toBe(2);
    await deliver(rig);
    expect(keeper.order).toEqual([0, 1, 2, 3]);
    expect((await states(rig, ids)).slice(2)).toEqual(['running', 'running']);
  });

  it('keeps the place of a released job whose hint was lost', async () => {
    const { rig, keeper, ids } = await crowd(3);
    keeper.end(0);
    await rig.settle();
    for (const message of rig.hints.receive(QUEUE, 10)) rig.hints.acknowledge(message);
    await rig.clock.advance(2 * MINUTE + 3 * SECOND);
    await rig.sweep();
    await deliver(rig);
    expect(keeper.running).toContain(2);
    expect((await rig.client.get(ids[2] ?? ''))?.state).toBe('running');
  });

  it('lets released jobs run in their order however long their messages wait', async () => {
    const { rig, keeper } = await crowd(6);
    for (const n of [0, 1]) {
      keeper.end(n);
      await rig.settle();
    }
    // Behind a long queue: the slots of the first two end, and are given to the next two.
    await rig.clock.advance(5 * MINUTE);
    expect((await rig.fire()).released).toBe(2);
    await deliver(rig);
    expect(keeper.running).toEqual([2, 3]);
    for (const n of [2, 3, 4, 5]) {
      keeper.end(n);
      await rig.settle();
      await deliver(rig);
    }
    expect(keeper.order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(keeper.most).toBe(2);
  });

  it('finds a parked job when it is to be cancelled or rescheduled', async () => {
    const { rig, ids } = await crowd(4);
    expect(await rig.client.cancel(ids[2] ?? '')).toBe('cancelled');
    expect(await rig.client.reschedule(ids[3] ?? '', { delay: 'PT1H' })).toBe('rescheduled');
    expect(await states(rig, ids)).toEqual(['running', 'running', 'finished', 'waiting']);
  });

  it('has a limit for each key, and none for a job without one', async () => {
    const keeper = new Gatekeeper();
    const keyed = defineJob('keyed', { payload: anyPayload, limits: [perCustomer] });
    const rig = new Rig({ handlers: [keeper.handle(keyed)] });
    for (const [n, customer] of ['a', 'a', 'b', undefined, undefined].entries()) await rig.client.enqueue(keyed, { n, customer });
    await deliver(rig);
    expect(keeper.running.toSorted((a, b) => a - b)).toEqual([0, 2, 3, 4]);
  });

  it('does not ask for the key of a payload that is not valid: the run says why', async () => {
    const key = vi.fn(() => 'k');
    const strict = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'never' }] }) } } as const;
    const keyed = { limits: [defineLimit('keyed', { concurrency: 1 }, { key })], retry: 'R9/PT1S' };
    const rig = new Rig({ handlers: [defineJob('keyed', { payload: strict as never, ...keyed }).handle(() => undefined)] });
    const { id } = await rig.client.enqueue(defineJob('keyed', { payload: anyPayload }), {});
    await rig.drain();
    expect(key).not.toHaveBeenCalled();
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'non-retryable' });
    expect(rig.journal.count('started')).toBe(1);
  });

  it('takes a key that throws for a failure of the job, and one that is too long for its end', async () => {
    const key = (payload: { long?: boolean }): string => {
      if (payload.long === true) return 'x'.repeat(257);
      throw new Error('no key today');
    };
    const keyed = defineJob('keyed', {
      payload: anyPayload,
      limits: [defineLimit('keyed', { concurrency: 1 }, { key })],
      retry: 'R2/PT1S',
    });
    const rig = new Rig({ handlers: [keyed.handle(() => undefined)] });
    const throws = await rig.client.enqueue(keyed, {});
    const long = await rig.client.enqueue(keyed, { long: true });
    await rig.drain();
    expect(await rig.client.get(throws.id)).toMatchObject({ state: 'ready', failures: 1, error: { name: 'DefinitionThrewError' } });
    expect(await rig.client.get(long.id)).toMatchObject({ state: 'dead', reason: 'non-retryable' });
    expect((await rig.client.get(long.id))?.error?.message).toMatch(/limits\.keyed\.key/);
    await rig.clock.advance(SECOND);
    await rig.drain();
    expect(await rig.client.get(throws.id)).toMatchObject({ state: 'dead', reason: 'retries-exhausted' });
  });

  it('follows the number of the code that runs: more start at the next tick, fewer as soon as jobs end', async () => {
    const { rig, keeper } = await crowd(4);
    const wide = defineJob('slow', { payload: anyPayload, limits: [defineLimit('two', { concurrency: 3 })] });
    Object.assign(rig.deps, { handlers: new Map([['slow', keeper.handle(wide)]]) });
    await rig.client.enqueue(wide, { n: 4 });
    await deliver(rig);
    expect(keeper.running).toEqual([0, 1, 2]);
    const narrow = defineJob('slow', { payload: anyPayload, limits: [defineLimit('two', { concurrency: 1 })] });
    Object.assign(rig.deps, { handlers: new Map([['slow', keeper.handle(narrow)]]) });
    await rig.client.enqueue(narrow, { n: 5 });
    await deliver(rig);
    expect(keeper.running).toEqual([0, 1, 2]);
  });

  it('starts no job in a slot that was handed to it before the number was lowered', async () => {
    const { rig, keeper, ids } = await crowd(3);
    const second = (await slots(rig)).find(({ sk }) => String(sk).endsWith('1'));
    const [ends, stays] = second?.['lockOwner'] === `job/${ids[0]}` ? [0, 1] : [1, 0];
    keeper.end(ends);
    await rig.settle();
    const narrow = defineJob('slow', { payload: anyPayload, limits: [defineLimit('two', { concurrency: 1 })] });
    Object.assign(rig.deps, { handlers: new Map([['slow', keeper.handle(narrow)]]) });
    await deliver(rig);
    expect(keeper.running).toEqual([stays]);
    keeper.end(stays);
    await rig.settle();
    await deliver(rig);
    expect(keeper.running).toEqual([2]);
  });

  it('caps the running jobs of each tenant', async () => {
    const keeper = new Gatekeeper();
    const plain = defineJob('plain', { payload: anyPayload });
    const rig = new Rig({ handlers: [keeper.handle(plain)] });
    Object.assign(rig.deps, { limits: [tenantLimit('default', 1)] });
    for (const [n, tenant] of ['a', 'a', 'b'].entries()) await rig.client.enqueue(plain, { n }, { tenant });
    await rig.client.enqueue(plain, { n: 3 });
    await deliver(rig);
    expect(keeper.running.toSorted((a, b) => a - b)).toEqual([0, 2, 3]);
  });

  it('gives back what a job has taken when another of its limits has no room', async () => {
    const keeper = new Gatekeeper();
    const [first, second] = [defineLimit('a', { concurrency: 1 }), defineLimit('b', { concurrency: 1 })];
    const both = defineJob('both', { payload: anyPayload, limits: [second, first] });
    const onlyB = defineJob('only-b', { payload: anyPayload, limits: [second] });
    const onlyA = defineJob('only-a', { payload: anyPayload, limits: [first] });
    const rig = new Rig({ handlers: [both, onlyA, onlyB].map((type) => keeper.handle(type)) });
    await rig.client.enqueue(onlyB, { n: 0 });
    await deliver(rig);
    await rig.client.enqueue(both, { n: 1 });
    await deliver(rig);
    await rig.client.enqueue(onlyA, { n: 2 });
    await deliver(rig);
    expect(keeper.running).toEqual([0, 2]);
    for (const n of [0, 2, 1]) {
      keeper.end(n);
      await rig.settle();
      await deliver(rig);
    }
    expect(keeper.order).toEqual([0, 2, 1]);
    expect(await slots(rig)).toEqual([]);
  });

  it('does not let an executor that lost its claim free or hand on the slot of the next one', async () => {
    const { rig, ids } = await crowd(3);
    const [slot] = await slots(rig);
    const old = { id: ids[0] ?? '', lockOwner: 'run/before' };
    const hash = String(slot?.['pk']).slice('limit#'.length);
    await handOver(rig.deps, old, { limit: { hash, name: 'two', n: 2 }, index: 0, until: rig.clock.now() });
    expect(await slots(rig)).toHaveLength(2);
    expect((await slots(rig))[0]).toEqual(slot);
    expect((await states(rig, ids))[2]).toBe('parked');
  });
});

/** Fills a rig with slow jobs, whose handlers are its keeper's. */
async function fill(rig: Rig, count: number): Promise<{ ids: string[] }> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await rig.client.enqueue(slow, { n })).id);
    await deliver(rig);
    await rig.clock.advance(1);
  }
  return { ids };
}
