import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { createMemoryHintSource } from '../../../../shared/adapters/memory/hint-source.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { EVERY_TYPE } from '../../../../shared/features/workers/store/worker-rows.ts';
import { EveryType } from '../../../../functions/worker/external/every-type.ts';
import { externalOver } from '../../../../functions/worker/external/external-over.ts';
import { createWorkerReporter } from '../../../../functions/executor/report-worker.ts';
import { type Aim, aimAt, faultyTables } from '../../../support/faulty-tables.ts';
import { startOutside } from '../../../support/outside-worker.ts';
import { rigTables } from '../../../support/rig-tables.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const known = defineJob('known', { payload: anyPayload });
const late = defineJob('late', { payload: anyPayload });
const done = (): undefined => undefined;

/** Deployments of one worker after another, over the same tables and at the same time. */
function versions(settings: RigOptions['settings'] = {}): (version: string, ...types: readonly (typeof known)[]) => Rig {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  return (version, ...types) => new Rig({ clock, tables, version, settings, handlers: types.map((type) => type.handle(done)) });
}

describe('a worker', () => {
  it('reports the types that it has handlers for at the end of an invocation, at most every 5 minutes', async () => {
    const rig = versions()('7', known, late);
    const admin = createAdminOver(rig.deps);
    expect(await admin.workers()).toEqual([]);
    const firstSeen = new Date(rig.clock.now());
    const run = async (): Promise<void> => {
      await rig.client.enqueue(known, {});
      await rig.drain();
    };
    await run();
    const view = { worker: 'default', kind: 'lambda', version: '7', types: ['known', 'late'], off: [], firstSeen, fresh: true };
    expect(await admin.workers()).toEqual([{ ...view, lastSeen: firstSeen }]);
    await rig.clock.advance(5 * MINUTE - 1);
    await run();
    expect(await admin.workers()).toEqual([{ ...view, lastSeen: firstSeen }]);
    await rig.clock.advance(1);
    await run();
    expect(await admin.workers()).toEqual([{ ...view, lastSeen: new Date(rig.clock.now()) }]);
    await rig.clock.advance(10 * MINUTE + 1);
    expect(await admin.workers()).toMatchObject([{ fresh: false }]);
  });

  it('reports why it makes its writes one by one, as long as that is so', async () => {
    const rig = versions()('7', known);
    const admin = createAdminOver(rig.deps);
    const report = async (reason?: string): Promise<void> =>
      createWorkerReporter({ kind: 'lambda', types: [], version: '7' }).report({ ...rig.deps, batchRefusal: () => reason });
    await report('The store refuses them');
    expect(await admin.workers()).toMatchObject([{ batchRefusal: 'The store refuses them' }]);
    await report();
    expect((await admin.workers())[0]).not.toHaveProperty('batchRefusal');
  });

  it('is listed by version, the one that reported last first, for 30 days', async () => {
    const deploy = versions();
    const [old, young] = [deploy('1', known), deploy('2', known, late)];
    for (const rig of [old, young]) {
      await rig.client.enqueue(known, {});
      await rig.drain();
      await rig.clock.advance(MINUTE);
    }
    const admin = createAdminOver(young.deps);
    expect((await admin.workers()).map(({ version }) => version)).toEqual(['2', '1']);
    await young.clock.advance(30 * DAY - MINUTE);
    expect((await admin.workers()).map(({ version }) => version)).toEqual([]);
  });

  it('shows which types are switched off on it', async () => {
    const rig = versions()('1', known);
    const admin = createAdminOver(rig.deps);
    await rig.client.enqueue(known, {});
    await rig.drain();
    await admin.suspend({ type: 'known', worker: 'default' }, { reason: 'broken', until: { for: 'PT1H' } });
    await admin.suspend({ type: 'late' }, { reason: 'everywhere' });
    expect(await admin.workers()).toMatchObject([{ off: ['known'] }]);
    await rig.clock.advance(60 * MINUTE);
    expect(await admin.workers()).toMatchObject([{ off: [] }]);
  });

  it('runs its jobs although the store refuses its report, says so, and reports a minute later', async () => {
    const clock = new SettableClock();
    const faults = faultyTables(rigTables(clock));
    const rig = new Rig({ clock, tables: faults.tables, version: '1', handlers: [known.handle(done)] });
    const isReport: Aim = (writes) => writes.some((write) => write.op === 'update' && 'types' in write.set);
    faults.next(isReport, 'unavailable');
    await rig.client.enqueue(known, {});
    await rig.drain();
    expect(rig.journal.count('completed')).toBe(1);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'worker-report' }));
    expect(faults.pending()).toBe(0);
    const admin = createAdminOver(rig.deps);
    expect(await admin.workers()).toEqual([]);
    faults.next(isReport, 'lost-reply');
    await clock.advance(MINUTE);
    await rig.client.enqueue(known, {});
    await rig.drain();
    expect(await admin.workers()).toMatchObject([{ version: '1', firstSeen: new Date(clock.now()) }]);
  });

  it('leaves its report to the next invocation when this one has no time left', async () => {
    const clock = new SettableClock();
    const faults = faultyTables(rigTables(clock));
    const rig = new Rig({ clock, tables: faults.tables, version: '1', handlers: [known.handle(done)] });
    const admin = createAdminOver(rig.deps);
    // The store takes its time for the outcome.
    faults.before(aimAt('delete', 'jobs'), async () => clock.advance(rig.deployment.settings.executorTimeoutMs - 1_000));
    await rig.client.enqueue(known, {});
    await rig.deliver();
    expect(rig.journal.count('completed')).toBe(1);
    expect(await admin.workers()).toEqual([]);
    await rig.client.enqueue(known, {});
    await rig.drain();
    expect(await admin.workers()).toMatchObject([{ version: '1' }]);
  });

  it('that is none of a deployment reports nothing', async () => {
    const rig = versions()('1', known);
    const { worker: _worker, ...deployment } = rig.deployment;
    await createWorkerReporter({ kind: 'outside', types: ['known'], version: '1' }).report({ ...rig.deps, deployment });
    expect(await rig.rows('control')).toEqual([]);
  });
});

describe('a job that found no handler', () => {
  it('is tried again at once when a version that knows its type reports, and not before its backoff otherwise', async () => {
    const deploy = versions();
    const old = deploy('1', known);
    const { id } = await old.client.enqueue(late, {});
    await old.drain();
    // Tried a few times, it would wait long.
    for (let tries = 0; tries < 4; tries++) {
      await old.clock.advance(15 * MINUTE);
      await old.sweep();
      await old.drain();
    }
    expect((await old.rows('suspended'))[0]).toMatchObject({ id, cause: 'no-handler#late' });
    await old.clock.advance(MINUTE);
    expect((await old.sweep()).resumed).toBe(0);
    const young = deploy('2', known, late);
    await young.client.enqueue(known, {});
    await young.drain();
    expect((await young.sweep()).resumed).toBe(1);
    await young.clock.advance(1_000);
    // Queues in memory belong to a rig: the sweeper of the younger one sent the hint.
    await young.drain();
    expect((await young.client.get(id))?.state).toBe('finished');
  });

  it('stays where it is when a worker reports that has it not, or that is another', async () => {
    const deploy = versions({ noHandlerFirstRetryMs: 60 * MINUTE });
    const rig = deploy('1', known);
    await rig.client.enqueue(late, {});
    await rig.drain();
    await rig.clock.advance(10 * MINUTE);
    const report = async (worker: string, ...types: readonly string[]): Promise<void> => {
      const reporter = createWorkerReporter({ kind: 'outside', types, version: '1' });
      await reporter.report({ ...rig.deps, deployment: { ...rig.deployment, worker } });
    };
    await report('default', 'known', 'later');
    await report('other', 'late');
    expect((await rig.sweep()).resumed).toBe(0);
    await report('default', 'late');
    expect((await rig.sweep()).resumed).toBe(1);
  });

  it('continues its backoff while it cannot be known which worker has its type', async () => {
    const clock = new SettableClock();
    const faults = faultyTables(rigTables(clock));
    const rig = new Rig({ clock, tables: faults.tables, version: '1', handlers: [known.handle(done)] });
    await rig.client.enqueue(late, {});
    await rig.drain();
    faults.unreadable((read) => read.op === 'query' && read.partition === 'workers');
    await clock.advance(MINUTE);
    expect((await rig.sweep()).resumed).toBe(1);
    expect(faults.pending()).toBe(0);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'workers' }));
  });
});

describe('a worker outside Lambda', () => {
  const reporting = (rig: Rig, ...types: readonly string[]) => ({
    ...rig.deps,
    reporter: createWorkerReporter({ kind: 'outside', types, version: '0.1.0' }),
  });

  it('reports when it begins and while it polls, also without jobs', async () => {
    const rig = new Rig({ handlers: [known.handle(done)] });
    const admin = createAdminOver(rig.deps);
    const begun = rig.clock.now();
    const pool = startOutside(rig, {}, reporting(rig, 'known'));
    await rig.settle();
    expect(await admin.workers()).toMatchObject([{ kind: 'outside', version: '0.1.0', types: ['known'], lastSeen: new Date(begun) }]);
    for (let passed = 0; passed < 6 * MINUTE; passed += 10_000) {
      await rig.clock.advance(10_000);
      await rig.settle();
    }
    const [view] = await admin.workers();
    expect(view?.lastSeen.getTime()).toBeGreaterThanOrEqual(begun + 5 * MINUTE);
    expect(view).toMatchObject({ firstSeen: new Date(begun), fresh: true });
    pool.stop();
    await rig.until(pool.ended);
  });

  it('that hands out tasks has every type', async () => {
    const rig = new Rig({ settings: { noHandlerFirstRetryMs: 60 * MINUTE } });
    await rig.client.enqueue(late, {});
    await rig.drain();
    await rig.clock.advance(MINUTE);
    const deps = { ...reporting(rig, EVERY_TYPE), handlers: new EveryType('default', []) };
    const session = externalOver(deps, { source: createMemoryHintSource(rig.hints, rig.clock), queues: rig.queues });
    expect(await rig.until(session.fetchAndLock(1, 'PT1M'))).toEqual([]);
    expect(await createAdminOver(rig.deps).workers()).toMatchObject([{ types: ['*'] }]);
    expect((await rig.sweep()).resumed).toBe(1);
    expect(await rig.until(session.fetchAndLock(1, 'PT1M'))).toMatchObject([{ type: 'late' }]);
  });
});
