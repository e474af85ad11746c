import { describe, expect, it, vi } from 'vitest';
import { resumeScope } from '../../../../functions/sweeper/duties/resume-scope.ts';
import { type Admin, createAdminOver } from '../../../../operate/admin.ts';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { heldCauseKey } from '../../../../shared/store/control-rows.ts';
import { createRulesCache } from '../../../../functions/executor/gates/rules.ts';
import { faultyTables } from '../../../support/faulty-tables.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1M' });
const other = defineJob('other', { payload: anyPayload });
const STANDARD = { worker: 'default', lane: 'default', kind: 'standard' } as const;

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly ran: unknown[];
  /** Five seconds later every executor goes by what was laid down. */
  readonly heard: () => Promise<void>;
}

function stage(options: RigOptions = {}): Stage {
  const ran: unknown[] = [];
  const note = ({ payload }: { payload: Record<string, unknown> }): void => void ran.push(payload['n']);
  const rig = new Rig({ handlers: [work.handle(note), other.handle(note)], ...options });
  return { rig, admin: createAdminOver(rig.deps), ran, heard: async () => rig.clock.advance(5_000) };
}

/** Everybody has heard of it; then the sweeper ticks and what it lets go runs. */
async function release({ rig, heard }: Stage): Promise<void> {
  await heard();
  await rig.sweep();
  await rig.clock.advance(2_000);
  await rig.drain();
}

describe('a suspension', () => {
  it('keeps jobs of a type from starting, moves them aside with their counters as they were, and lets them go when it ends', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    await admin.suspend({ type: 'work' }, { reason: 'the bank is down' });
    const { id } = await rig.client.enqueue(work, { n: 1 });
    await rig.client.enqueue(other, { n: 2 });
    await rig.drain();
    expect(ran).toEqual([2]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'suspended', attempts: 0, failures: 0 });
    await rig.sweep();
    expect(await rig.client.get(id)).toMatchObject({ state: 'suspended' });
    expect(await admin.resume({ type: 'work' })).toBe('resumed');
    await release(scene);
    expect(ran).toEqual([2, 1]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1, failures: 0 });
    expect((await rig.counts()).suspended).toBe(0);
  });

  it.each([
    ['everything', 'all', {}],
    ['a group', { group: 'g' }, { group: 'g' }],
    ['a tenant', { tenant: 'acme' }, { tenant: 'acme' }],
  ] as const)('of %s holds its jobs', async (_, scope, options) => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    await admin.suspend(scope, { reason: 'test' });
    const { id } = await rig.client.enqueue(work, { n: 1 }, options);
    const free = await rig.client.enqueue(work, { n: 2 }, { tenant: 'umbrella' });
    await rig.drain();
    expect((await rig.client.get(id))?.state).toBe('suspended');
    expect((await rig.client.get(free.id))?.state).toBe(scope === 'all' ? 'suspended' : 'finished');
    await admin.resume(scope);
    await release(scene);
    expect(new Set(ran)).toEqual(new Set([1, 2]));
  });

  it('of a batch holds its children, and the batch is over when they are', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    const batch = await rig.client.enqueueBatch(work, [{ n: 1 }, { n: 2 }]);
    await rig.client.enqueue(work, { n: 3 });
    await admin.suspend({ batch: batch.id }, { reason: 'test' });
    await rig.drain();
    expect(ran).toEqual([3]);
    expect(await admin.batch(batch.id)).toMatchObject({ pending: 2 });
    await admin.resume({ batch: batch.id });
    await release(scene);
    expect(new Set(ran)).toEqual(new Set([1, 2, 3]));
    expect(await admin.batch(batch.id)).toMatchObject({ pending: 0, succeeded: 2 });
  });

  it('of a schedule holds its occurrences, whose sequence goes on', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    await admin.schedules.put(defineSchedule('hourly', { job: work, payload: { n: 1 }, every: 'PT1H', overlap: 'allow' }));
    await admin.suspend({ schedule: 'hourly' }, { reason: 'test' });
    for (let hour = 0; hour < 3; hour++) {
      await rig.clock.advance(60 * MINUTE);
      await rig.fire();
      await rig.clock.advance(MINUTE);
      await rig.drain();
    }
    expect([ran, (await rig.counts()).suspended, (await rig.counts()).timers]).toEqual([[], 3, 1]);
    await admin.resume({ schedule: 'hourly' });
    await release(scene);
    expect(ran).toEqual([1, 1, 1]);
  });

  it('counts five seconds later at the latest for a sandbox that knew nothing of it', async () => {
    const { rig, admin, ran, heard } = stage();
    await rig.client.enqueue(work, { n: 1 });
    await rig.drain();
    await admin.suspend({ type: 'work' }, { reason: 'late' });
    await rig.client.enqueue(work, { n: 2 });
    await rig.drain();
    expect(ran).toEqual([1, 2]);
    await heard();
    await rig.client.enqueue(work, { n: 3 });
    await rig.drain();
    expect(ran).toEqual([1, 2]);
  });

  it('begins at `from` and ends at `until` by itself', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    const now = rig.clock.now();
    await admin.suspend({ type: 'work' }, { reason: 'window', from: now + 10 * MINUTE, until: now + 20 * MINUTE });
    expect(await admin.suspensions()).toMatchObject([{ scope: 'type#work', state: 'scheduled', actor: 'operator' }]);
    await rig.client.enqueue(work, { n: 1 });
    await rig.drain();
    await rig.clock.advance(10 * MINUTE);
    expect(await admin.suspensions()).toMatchObject([{ state: 'in-force' }]);
    await rig.client.enqueue(work, { n: 2 });
    await rig.drain();
    expect(ran).toEqual([1]);
    await rig.sweep();
    await rig.clock.advance(10 * MINUTE);
    expect(await admin.suspensions()).toMatchObject([{ state: 'over' }]);
    await release(scene);
    expect(ran).toEqual([1, 2]);
  });

  it('survives a deployment: a sandbox that was just started goes by it', async () => {
    const { rig, admin, ran } = stage();
    await admin.suspend({ type: 'work' }, { reason: 'before the deployment' });
    await rig.client.enqueue(work, { n: 1 });
    await rig.execute(rig.hints.receive(STANDARD, 10), { ...rig.deps, rules: createRulesCache() });
    expect(ran).toEqual([]);
  });

  it('resumes its jobs at the rate given, oldest first, with hints that spread over the minute, once for a doubled tick', async () => {
    const scene = stage();
    const { rig, admin, ran, heard } = scene;
    await admin.suspend({ type: 'work' }, { reason: 'flood' });
    for (let n = 0; n < 12; n++) {
      await rig.client.enqueue(work, { n });
      await rig.drain();
      await rig.clock.advance(10);
    }
    await admin.resume({ type: 'work' }, { ratePerSecond: 0.1 });
    await heard();
    await rig.clock.advance(2_000);
    await rig.sweep();
    await rig.sweep();
    expect((await rig.counts()).suspended).toBe(6);
    await rig.drain();
    expect(ran).toEqual([0]);
    await rig.clock.advance(30_000);
    await rig.drain();
    // Those that are due together run side by side.
    expect(new Set(ran)).toEqual(new Set([0, 1, 2, 3]));
    await rig.clock.advance(30_000);
    await rig.drain();
    expect(new Set(ran)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    await rig.sweep();
    await rig.drain();
    await rig.clock.advance(60_000);
    await rig.drain();
    expect(ran).toHaveLength(12);
    expect((await rig.counts()).suspended).toBe(0);
  });

  it('holds a job again that a second suspension concerns', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    await admin.suspend({ type: 'work' }, { reason: 'one' });
    await admin.suspend({ tenant: 'acme' }, { reason: 'two' });
    const { id } = await rig.client.enqueue(work, { n: 1 }, { tenant: 'acme' });
    await rig.drain();
    await admin.resume({ tenant: 'acme' });
    await release(scene);
    expect(await rig.client.get(id)).toMatchObject({ state: 'suspended', attempts: 0 });
    await admin.resume({ type: 'work' });
    await release(scene);
    expect(ran).toEqual([1]);
  });

  it('touches neither the failures of a job between two tries nor its unique key', async () => {
    const failing = vi.fn().mockImplementationOnce(() => {
      throw new Error('first');
    });
    const scene = stage({ handlers: [work.handle(failing)] });
    const { rig, admin, heard } = scene;
    const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
    await rig.drain();
    await admin.suspend({ type: 'work' }, { reason: 'between' });
    await heard();
    await rig.clock.advance(MINUTE);
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'suspended', attempts: 1, failures: 1 });
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toEqual({ id, duplicate: true });
    await admin.resume({ type: 'work' });
    await release(scene);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 2, failures: 1 });
  });

  it('does not keep a suspended job from being cancelled', async () => {
    const { rig, admin } = stage();
    await admin.suspend('all', { reason: 'night' });
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    expect(await rig.client.cancel(id)).toBe('cancelled');
    expect((await rig.counts()).suspended).toBe(0);
  });

  it('lists its cause once, however many jobs it holds', async () => {
    const { rig, admin } = stage();
    await admin.suspend({ type: 'work' }, { reason: 'many' });
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 20 }, (_, n) => ({ n })),
    );
    const writes = vi.spyOn(rig.tables, 'write');
    await rig.drain();
    expect(writes.mock.calls.filter(([write]) => write.table === 'control')).toHaveLength(1);
    expect((await rig.counts()).suspended).toBe(20);
  });

  it('that a cold sandbox cannot look up keeps everything waiting, and no counter moves', async () => {
    const { rig, ran } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    const faults = faultyTables(rig.tables);
    faults.unreadable((read) => read.op === 'query');
    const cold = { ...rig.deps, tables: faults.tables, rules: createRulesCache() };
    await rig.execute(rig.hints.receive(STANDARD, 10), cold);
    expect(ran).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 0 });
    await rig.clock.advance(5 * MINUTE);
    await rig.sweep();
    await rig.drain();
    expect(ran).toEqual([1]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', failures: 0 });
  });

  it('is not forgotten by a sweeper that had no time left to look for its jobs', async () => {
    const scene = stage();
    const { rig, admin, ran } = scene;
    await admin.suspend({ type: 'work' }, { reason: 'r', until: { for: 'PT1M' } });
    await rig.client.enqueue(work, { n: 1 });
    await rig.drain();
    await rig.clock.advance(20 * MINUTE);
    const cause = { ...heldCauseKey('type#work'), cause: 'type#work', seenAt: new Date(rig.clock.now() - 20 * MINUTE).toISOString() };
    // It had time when it began with the cause, and none when it came to its jobs.
    let looks = 0;
    const clock = { now: () => rig.clock.now() + (looks++ === 0 ? 0 : MINUTE), wait: async () => {} };
    const late = { ...rig.deps, clock, backlog: rig.hints };
    expect(await resumeScope(late, cause, 10, rig.clock.now() + MINUTE)).toMatchObject({ resumed: 0, found: 1 });
    await release(scene);
    expect(ran).toEqual([1]);
  });

  it('is refused with the field and the fix', async () => {
    const { admin } = stage();
    await expect(admin.suspend('everything' as never, { reason: 'r' })).rejects.toThrow(/scope: "everything" is not valid\. Use 'all' or/);
    await expect(admin.suspend({ type: 'a b' }, { reason: 'r' })).rejects.toThrow(/scope\.type/);
    await expect(admin.suspend({ type: 'a', tenant: 'b' }, { reason: 'r' })).rejects.toThrow(InvalidInputError);
    await expect(admin.suspend('all', { reason: '' })).rejects.toThrow(/reason/);
    await expect(admin.suspend('all', { reason: 'r', until: 0 })).rejects.toThrow(/until/);
    await expect(admin.resume('all', { ratePerSecond: 0 })).rejects.toThrow(/ratePerSecond/);
    expect(await admin.resume('all')).toBe('not-suspended');
  });
});
