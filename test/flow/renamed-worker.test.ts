import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { decodeEnvironment, encodeEnvironment, type WorkerQueues } from '../../shared/config/environment.ts';
import { defineJob, defineSchedule, type JobContext } from '../../shared/index.ts';
import { TABLE_NAMES } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { checkWorkers } from '../../functions/executor/configure-executor.ts';
import { createWorkerReporter } from '../../functions/executor/report-worker.ts';
import { queuesOf } from '../../functions/worker/queues-of.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { take } from '../support/faulty-rig.ts';
import { startOutside } from '../support/outside-worker.ts';
import { rigTables } from '../support/rig-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const before = defineJob('work', { payload: anyPayload });
const after = defineJob('work', { payload: anyPayload, worker: 'mail' });
const BEFORE = { default: { lanes: { default: 'queue/default' }, fifo: 'queue/default.fifo' } };
const AFTER = { mail: { lanes: { slow: 'queue/slow' }, fifo: 'queue/mail.fifo', formerly: ['worker', 'default'] } };

/** The deployment in which the worker was called default, and the one in which it is called mail: other queues over the same tables. */
function renamed() {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  const ran: string[] = [];
  const deploy = (workers: Readonly<Record<string, WorkerQueues>>, type: typeof before): Rig =>
    new Rig({ clock, tables, workers, handlers: [type.handle(({ payload }) => void ran.push(String(payload['n'])))] });
  const [old, young] = [deploy(BEFORE, before), deploy(AFTER, after)];
  return { clock, ran, old, young, admin: createAdminOver(young.deps) };
}

describe('a renamed worker', () => {
  it('runs what its former name left ready, waiting, grouped, suspended and dead', async () => {
    const { clock, ran, old, young, admin } = renamed();
    await old.client.enqueue(before, { n: 'ready' });
    await old.client.enqueue(before, { n: 'grouped' }, { group: 'g' });
    await old.client.enqueue(before, { n: 'waiting' }, { delay: 'PT1H' });
    const stopped = await old.client.enqueue(before, { n: 'suspended' });
    await admin.breakpoint(stopped.id, { reason: 'test' });
    const dead = await old.client.enqueue(before, { n: 'dead' });
    await admin.bury(dead.id, { reason: 'test' });
    // The old queues are gone with their messages: the sweeper sends the ready ones again.
    await clock.advance(10 * MINUTE);
    await young.sweep();
    await young.drain();
    expect(ran.toSorted()).toEqual(['grouped', 'ready']);
    await admin.resumeJob(stopped.id);
    await admin.redrive(dead.id);
    await young.drain();
    await clock.advance(HOUR);
    await young.fire();
    await young.drain();
    expect(ran.toSorted()).toEqual(['dead', 'grouped', 'ready', 'suspended', 'waiting']);
    expect(await young.counts()).toMatchObject({ jobs: 0, timers: 0, suspended: 0, deadLetters: 0 });
    expect(young.journal.entries.filter(({ event }) => event === 'completed').every(({ worker }) => worker === 'mail')).toBe(true);
  });

  it('goes on with the schedules of its former name', async () => {
    const { clock, ran, old, young } = renamed();
    await createAdminOver(old.deps).schedules.put(defineSchedule('hourly', { job: before, payload: { n: 'hourly' }, every: 'PT1H' }));
    for (let hour = 0; hour < 3; hour++) {
      await clock.advance(HOUR);
      await young.fire();
      await young.drain();
    }
    expect(ran.length).toBeGreaterThanOrEqual(2);
  });

  it('is what producers and handlers mean that still have its former name', async () => {
    const { young } = renamed();
    const { id } = await young.client.enqueue(before, { n: 1 });
    expect(await young.tables.get('jobs', { id })).toMatchObject({ worker: 'mail', lane: 'slow' });
    const handlers = new Map([['work', before.handle(() => undefined)]]);
    expect(checkWorkers(handlers, { worker: 'mail', workers: young.deployment.workers })).toBe('mail');
    const strange = new Map([['x', defineJob('x', { payload: anyPayload, worker: 'other' }).handle(() => undefined)]]);
    expect(() => checkWorkers(strange, { worker: 'mail', workers: young.deployment.workers })).toThrow(/belongs to worker "other"/);
    expect([...young.deployment.workers.keys()]).toEqual(['mail']);
  });

  it('resumes jobs that waited for a handler under its former name, when it reports', async () => {
    const { clock, old, young, admin } = renamed();
    const rig = new Rig({ clock, tables: old.tables, workers: BEFORE, settings: { noHandlerFirstRetryMs: HOUR } });
    const { id } = await rig.client.enqueue(before, { n: 1 });
    await rig.drain();
    expect((await rig.client.get(id))?.state).toBe('suspended');
    await clock.advance(MINUTE);
    expect((await young.sweep()).resumed).toBe(0);
    const deployment = { ...young.deployment, worker: 'mail' };
    await createWorkerReporter({ kind: 'outside', types: ['work'], version: '1' }).report({ ...young.deps, deployment });
    expect((await admin.explain(id))?.text).toContain('One that has it reported since');
    expect((await young.sweep()).resumed).toBe(1);
    await young.drain();
    expect((await young.client.get(id))?.state).toBe('finished');
  });

  it('is polled by its former name outside Lambda, too', async () => {
    const { young } = renamed();
    const queues = queuesOf(young.deployment, 'default');
    expect(queues.map(({ worker }) => worker)).toEqual(['mail', 'mail']);
    const { id } = await young.client.enqueue(after, { n: 1 });
    const session = externalOver(
      { ...young.deps, handlers: new EveryType('mail', []) },
      { source: createMemoryHintSource(young.hints, young.clock), queues },
    );
    expect(await young.until(session.fetchAndLock(1, 'PT1M'))).toMatchObject([{ id }]);
  });

  it('is suspended for a type by its former name, too', async () => {
    const { ran, young, admin } = renamed();
    await admin.suspend({ type: 'work', worker: 'default' }, { reason: 'test' });
    expect(await admin.suspensions()).toMatchObject([{ scope: 'type#work@mail' }]);
    const { id } = await young.client.enqueue(after, { n: 1 });
    await young.drain();
    expect(ran).toEqual([]);
    expect((await admin.explain(id))?.text).toContain('The type work on worker mail is suspended');
    expect(await admin.resume({ type: 'work', worker: 'default' })).toBe('resumed');
    expect(await admin.suspensions()).toEqual([]);
  });

  it('stays suspended for a type, before and after the suspension is replaced, until it is resumed', async () => {
    const { clock, ran, old, young, admin } = renamed();
    const scope = { type: 'work', worker: 'mail' };
    await createAdminOver(old.deps).suspend({ type: 'work', worker: 'default' }, { reason: 'before' });
    await createWorkerReporter({ kind: 'outside', types: ['work'], version: '1' }).report({
      ...young.deps,
      deployment: { ...young.deployment, worker: 'mail' },
    });
    expect(await admin.workers()).toMatchObject([{ worker: 'mail', off: ['work'] }]);
    const { id } = await young.client.enqueue(after, { n: 1 });
    await young.drain();
    await young.sweep();
    expect((await admin.explain(id))?.text).toContain('(before)');
    await admin.suspend(scope, { reason: 'after' });
    expect(await admin.suspensions()).toMatchObject([{ scope: 'type#work@mail', reason: 'after' }]);
    await young.sweep();
    expect((await admin.explain(id))?.text).toContain('(after)');
    expect((await young.rows('suspended')).map(({ cause }) => cause)).toEqual(['type#work@default']);
    expect(ran).toEqual([]);
    expect(await admin.resume(scope)).toBe('resumed');
    await clock.advance(10_000);
    await young.sweep();
    await clock.advance(10_000);
    await young.drain();
    expect(ran).toEqual(['1']);
    expect(await admin.resume(scope)).toBe('not-suspended');
  });

  it.each([
    [1, 12],
    [2, 12],
  ])('resumes a type at the given rate that was suspended under %i of its names', async (names, resumed) => {
    const { clock, old, young, admin } = renamed();
    const scope = { type: 'work', worker: 'mail' };
    const enqueue = async (): Promise<void> => {
      await young.client.enqueueMany(
        after,
        Array.from({ length: 20 }, () => ({})),
      );
      await young.drain();
    };
    await createAdminOver(old.deps).suspend({ type: 'work', worker: 'default' }, { reason: 'before' });
    await enqueue();
    if (names === 2) {
      await admin.suspend(scope, { reason: 'after' });
      await clock.advance(MINUTE);
      await enqueue();
    }
    expect(new Set((await young.rows('suspended')).map(({ cause }) => cause)).size).toBe(names);
    await admin.resume(scope, { ratePerSecond: 1 / 5 });
    await clock.advance(MINUTE);
    expect((await young.sweep()).resumed).toBe(resumed);
  });

  it('gives its jobs the new name for good when an operator moves them', async () => {
    const { old, young, admin } = renamed();
    const { id } = await old.client.enqueue(before, {}, { delay: 'PT1H' });
    expect(await admin.move(id, { worker: 'default' })).toBe('moved');
    expect((await young.rows('timers'))[0]).toMatchObject({ worker: 'mail', lane: 'slow' });
    expect(await admin.move(id, { worker: 'mail' })).toBe('moved');
    expect((await young.rows('timers'))[0]).toMatchObject({ rev: 2 });
  });
});

describe('how a job of a renamed worker ends is counted under the present name', () => {
  const once = defineJob('work', { payload: anyPayload, worker: 'mail', retry: 'R1/PT1M' });
  const died = async (run: (context: JobContext, rig: Rig) => unknown) => {
    const { clock, old } = renamed();
    const young: Rig = new Rig({
      clock,
      tables: old.tables,
      workers: AFTER,
      history: 'attempts',
      settings: { crashLimit: 1 },
      handlers: [once.handle((context) => void run(context, young))],
    });
    const { id } = await old.client.enqueue(before, {});
    await clock.advance(10 * MINUTE);
    await young.sweep();
    return { id, young };
  };
  const named = async (young: Rig, event: string) => {
    expect(young.journal.count(event as 'completed')).toBeGreaterThan(0);
    const rows = [...(await young.rows('deadLetters')), ...(await young.rows('history'))];
    return new Set([...young.journal.entries.map(({ worker }) => worker), ...rows.map(({ worker }) => worker)].filter(Boolean));
  };

  it('after a run that wrote progress', async () => {
    const { young } = await died(({ progress }) => {
      progress(50);
      throw new Error('no');
    });
    await young.drain();
    expect(await named(young, 'dead-lettered')).toEqual(new Set(['mail']));
  });

  it('after a run outside Lambda that renewed its lease', async () => {
    const { young } = await died(() => undefined);
    const slow = new Map([['work', once.handle(() => young.clock.wait(5 * MINUTE))]]);
    const worker = startOutside(young, {}, { ...young.deps, handlers: slow });
    for (let seconds = 0; seconds < 400; seconds++) {
      await young.settle();
      await young.clock.advance(1_000);
    }
    worker.stop();
    await young.until(worker.ended);
    expect(await named(young, 'completed')).toEqual(new Set(['mail']));
  });

  it('after an answer of a foreign worker', async () => {
    const { young } = await died(() => undefined);
    const queues = queuesOf(young.deployment, 'mail');
    const deps = { ...young.deps, handlers: new EveryType('mail', []) };
    const session = externalOver(deps, { source: createMemoryHintSource(young.hints, young.clock), queues });
    const [task] = await young.until(session.fetchAndLock(1, 'PT1M'));
    await session.complete(task?.id ?? '', task?.token ?? '');
    expect(await named(young, 'completed')).toEqual(new Set(['mail']));
  });

  it.each(['sweeper', 'executor'])('after a crash that the %s finds', async (finder) => {
    const { id, young } = await died(() => undefined);
    await take(young, id);
    await young.clock.advance(2 * MINUTE);
    if (finder === 'sweeper') await young.sweep();
    else await young.drain();
    expect(await named(young, 'dead-lettered')).toEqual(new Set(['mail']));
  });

  it('after a cancel that the sweeper finds', async () => {
    const { id, young } = await died(() => undefined);
    await take(young, id);
    await young.client.cancel(id);
    await young.clock.advance(2 * MINUTE);
    await young.sweep();
    expect(await named(young, 'cancelled')).toEqual(new Set(['mail']));
  });
});

describe('the environment of a deployment', () => {
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>;

  it('carries the former names of a worker', () => {
    const { workers } = decodeEnvironment(encodeEnvironment({ tables, workers: AFTER }));
    expect(workers.get('worker')).toEqual(AFTER.mail);
    expect([workers.has('default'), workers.has('mail'), workers.has('other')]).toEqual([true, true, false]);
    expect([...workers]).toHaveLength(1);
  });

  it.each([['default'], [[1]], [{}]])('is refused with %j for former names', (formerly) => {
    const broken = { mail: { lanes: { a: 'b' }, formerly: formerly as never } };
    expect(() => decodeEnvironment(encodeEnvironment({ tables, workers: broken }))).toThrow(
      /formerly of worker "mail" is not a list of names/,
    );
  });
});
