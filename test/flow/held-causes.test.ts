import { describe, expect, it } from 'vitest';
import { resumeSuspended } from '../../functions/sweeper/duties/resume-suspended.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { leafOf } from '../../shared/job/job-id.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { heldCauseKey } from '../../shared/store/control-rows.ts';
import { putReport } from '../../shared/features/workers/store/worker-rows.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const [work, other] = [defineJob('work', { payload: anyPayload }), defineJob('other', { payload: anyPayload })];
const CAUSE = heldCauseKey('no-handler#work');

/** The sweeper's parts, whose chance always falls on the last. */
const partsOf = (rig: Rig) => ({ ...rig.deps, entropy: { ...rig.deps.entropy, random: () => 0.99 }, backlog: rig.hints });

/** Enqueues jobs that no worker has a handler for, all in one leaf of the index, and lets them be suspended. */
async function suspendInOneLeaf(rig: Rig, count: number): Promise<void> {
  const first = rig.client.newId();
  for (let n = 0; n < count;) {
    const id = rig.client.newId();
    if (leafOf(id) !== leafOf(first)) continue;
    await rig.client.enqueue(work, {}, { id });
    n++;
  }
  await rig.drain();
}

describe('a run over what is suspended', () => {
  it('comes to every cause, with whichever it begins', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    await rig.client.enqueue(other, {});
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    expect(await resumeSuspended(partsOf(rig), rig.clock.now() + MINUTE)).toBe(2);
  });

  it('keeps a cause whose jobs all have to wait on, however long ago it was named', async () => {
    const rig = new Rig({ settings: { noHandlerFirstRetryMs: HOUR, noHandlerMaxRetryMs: HOUR } });
    await rig.client.enqueue(work, {});
    await rig.drain();
    await rig.clock.advance(20 * MINUTE);
    await rig.sweep();
    expect(await rig.tables.get('control', CAUSE)).toBeDefined();
    await rig.clock.advance(HOUR);
    expect((await rig.sweep()).resumed).toBe(1);
  });

  it.each(['queue/', -3, 1.5])('begins the backoff anew where the row says %j of the tries before', async (noHandlerTries) => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { noHandlerTries } });
    await rig.drain();
    expect(await rig.tables.get('suspended', { id })).toMatchObject({ noHandlerTries: 1, cause: 'no-handler#work' });
  });

  it('lets nothing go any more when its time is over', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    expect(await resumeSuspended(partsOf(rig), rig.clock.now())).toBe(0);
    expect(await rig.counts()).toMatchObject({ suspended: 1 });
  });

  it('ends in the middle of a cause when its time is over', async () => {
    const rig = new Rig();
    await suspendInOneLeaf(rig, 4);
    await rig.clock.advance(2 * MINUTE);
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => {
      await rig.clock.advance(30_000);
      return transact(...args);
    };
    expect(await resumeSuspended(partsOf(rig), rig.clock.now() + MINUTE)).toBe(2);
  });

  it('gives the place of a job that could not be resumed to the next one', async () => {
    const rig = faultyRig({ settings: { resumesPerRun: 1 } });
    await suspendInOneLeaf(rig, 2);
    await rig.clock.advance(2 * MINUTE);
    rig.faults.next(aimAt('put', 'jobs'), 'unavailable');
    expect((await rig.sweep()).resumed).toBe(1);
    expect(rig.faults.pending()).toBe(0);
  });

  it.each([
    { why: 'for want of room', settings: { resumesPerRun: 1 }, runMs: MINUTE, released: 1 },
    { why: 'for want of time', settings: {}, runMs: 0, released: 0 },
  ])('takes no time of the rate of a cause that it does not come to $why', async ({ settings, runMs, released }) => {
    const rig = new Rig({ settings });
    const admin = createAdminOver(rig.deps);
    for (const type of ['work', 'other']) await admin.suspend({ type }, { reason: 'r' });
    const known = { ...rig.deps, handlers: new Map([work, other].map((type) => [type.name, type.handle(() => undefined)])) };
    await rig.client.enqueue(work, {});
    await rig.client.enqueue(other, {});
    await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10), known);
    for (const type of ['work', 'other']) await admin.resume({ type }, { ratePerSecond: 1 });
    expect(await resumeSuspended(partsOf(rig), rig.clock.now() + runMs)).toBe(released);
    const causes = await Promise.all(['type#work', 'type#other'].map((cause) => rig.tables.get('control', heldCauseKey(cause))));
    expect(causes.filter((cause) => cause?.['releasedUntil'] !== undefined)).toHaveLength(released);
  });
});

describe('a job whose type no worker knows', () => {
  it('waits for its time when the worker that knew it had reported before it was suspended', async () => {
    const rig = new Rig();
    const at = rig.clock.now();
    await putReport(rig.tables, { worker: 'default', version: '1', kind: 'lambda', types: ['work'], at });
    await rig.clock.advance(1_000);
    await rig.client.enqueue(work, {});
    await rig.drain();
    expect((await rig.sweep()).resumed).toBe(0);
    await putReport(rig.tables, { worker: 'default', version: '1', kind: 'lambda', types: ['work'], at: rig.clock.now() + 1 });
    expect((await rig.sweep()).resumed).toBe(1);
  });

  it('is tried again by its backoff when the reports of workers cannot be read, and that is journalled', async () => {
    const rig = new Rig();
    await rig.client.enqueue(work, {});
    await rig.drain();
    await rig.clock.advance(2 * MINUTE);
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => {
      if (asked.partition === 'workers') throw new StoreUnavailableError('test', new Error('throttled'));
      return query(asked);
    };
    expect((await rig.sweep()).resumed).toBe(1);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'workers' }));
  });
});
