import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createAdminOver } from '../../operate/admin.ts';
import { hasHappened } from '../../operate/bulk/act-on-job.ts';
import { defineJob, defineLimit, defineSchedule } from '../../shared/index.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { idKey } from '../../shared/store/rows.ts';
import { createWorkerReporter } from '../../functions/executor/report-worker.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const WORKERS = {
  default: { lanes: { default: 'queue/default' }, fifo: 'queue/default.fifo' },
  mail: { lanes: { urgent: 'queue/urgent', slow: 'queue/slow' }, from: { urgent: 10 }, fifo: 'queue/mail.fifo' },
};
const old = defineJob('report.old', { payload: anyPayload });
const limited = defineJob('limited', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] });
const mail = defineJob('mail.send', { payload: anyPayload, worker: 'mail' });
const strict = defineJob('strict', {
  payload: z.object({ to: z.string() }),
  worker: 'mail',
  version: 2,
  upcast: { 1: ({ a }: { a: string }) => ({ to: a }) },
});

type Stage = ReturnType<typeof stage>;

function stage(types: readonly (typeof strict)[] = []) {
  const ran: string[] = [];
  const { promise: limitedRuns, resolve: begin } = Promise.withResolvers<void>();
  const rig: Rig = new Rig({
    workers: WORKERS,
    handlers: [
      old.handle(({ payload }) => {
        ran.push('old');
        if (payload['fails'] === true) throw new Error('no');
      }),
      limited.handle(async () => {
        begin();
        await rig.clock.wait(MINUTE);
      }),
      mail.handle(() => void ran.push('mail')),
    ],
  });
  const admin = createAdminOver({ ...rig.deps, jobTypes: new Map(types.map((type) => [type.name, type as never])) });
  const at = async (id: string) => {
    const rows = await Promise.all((['jobs', 'timers', 'suspended', 'deadLetters'] as const).map(async (table) => rig.rows(table)));
    return rows.flat().find((row) => row['id'] === id);
  };
  return { rig, admin, ran, at, limitedRuns };
}

describe('a job that is moved', () => {
  it('to another worker is dispatched to the queue and lane there, and its old message is stale', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(old, {}, { priority: 10 });
    expect(await admin.move(id, { worker: 'mail' }, { actor: 'anna', reason: 'split' })).toBe('moved');
    expect(await at(id)).toMatchObject({ worker: 'mail', lane: 'urgent', type: 'report.old', dispatches: 2, rev: 2 });
    expect(rig.hints.receive({ worker: 'mail', lane: 'urgent', kind: 'standard' }, 10)).toMatchObject([
      { body: expect.stringContaining(id) },
    ]);
    const [entry, ...others] = await admin.audit();
    expect(entry).toMatchObject({ verb: 'move', jobId: id, actor: 'anna', reason: 'split', detail: 'to worker mail' });
    expect(others).toEqual([]);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'rerouted', reason: 'urgent' }));
  });

  it('is not run by the worker that it left, even if its message comes first', async () => {
    const { rig, admin, ran, at } = stage();
    const { id } = await rig.client.enqueue(old, {});
    expect(await admin.move(id, { type: 'mail.send', worker: 'mail' })).toBe('moved');
    await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10));
    expect(ran).toEqual([]);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'given-back', reason: 'worker' }));
    expect(await at(id)).toMatchObject({ worker: 'mail', starts: 0, dispatches: 3 });
    await rig.drain();
    expect(ran).toEqual(['mail']);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1 });
  });

  it('with a group goes to the FIFO queue of its worker', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(old, {}, { group: 'g' });
    expect(await admin.move(id, { worker: 'mail', type: 'mail.send' })).toBe('moved');
    await rig.execute(rig.hints.receive({ worker: 'mail', lane: '', kind: 'fifo' }, 10));
    expect(ran).toEqual(['mail']);
  });

  it('to another type runs the handler of that type, wherever it waited', async () => {
    const { rig, admin, ran, at } = stage();
    const waiting = await rig.client.enqueue(old, {}, { delay: 'PT1H' });
    const stopped = await rig.client.enqueue(old, {});
    await admin.breakpoint(stopped.id, { reason: 'test' });
    for (const { id } of [waiting, stopped]) {
      expect(await admin.move(id, { type: 'mail.send', worker: 'mail' })).toBe('moved');
      expect(await at(id)).toMatchObject({ type: 'mail.send', worker: 'mail', lane: 'slow' });
    }
    // A breakpoint is an operator's: a move does not lift it.
    expect(await at(stopped.id)).toMatchObject({ cause: 'breakpoint' });
    await admin.resumeJob(stopped.id);
    await rig.clock.advance(60 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['mail', 'mail']);
  });

  it('asks the limits of its new type when it was parked under the old', async () => {
    const { rig, admin, ran, at, limitedRuns } = stage();
    await rig.client.enqueue(limited, {});
    const running = rig.deliver();
    await limitedRuns;
    const { id } = await rig.client.enqueue(limited, {});
    await rig.deliver();
    expect((await rig.client.get(id))?.state).toBe('parked');
    expect(await admin.move(id, { type: 'report.old' })).toBe('moved');
    expect(await at(id)).toMatchObject({ type: 'report.old', lockOwner: expect.stringMatching(/^queue/) });
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'released', reason: 'move' }));
    await rig.until(running);
    await rig.drain();
    expect(ran).toEqual(['old']);
  });

  it.each([
    [
      'its type was suspended',
      async ({ rig, admin }: Stage) => {
        await admin.suspend({ type: 'report.old' }, { reason: 'test' });
        await rig.drain();
      },
    ],
    [
      'nobody had a handler',
      async ({ rig }: Stage) => {
        await createWorkerReporter({ kind: 'outside', types: [], version: '1' }).report(rig.deps);
      },
    ],
  ])('goes on although it was suspended because %s', async (_, suspendIt) => {
    const made = stage();
    const { rig, admin, ran } = made;
    const unknown = defineJob('unknown', { payload: anyPayload });
    const { id } = await rig.client.enqueue(_.startsWith('nobody') ? unknown : old, {});
    await suspendIt(made);
    await rig.drain();
    expect((await rig.client.get(id))?.state).toBe('suspended');
    expect(await admin.move(id, { type: 'mail.send', worker: 'mail' })).toBe('moved');
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'resumed', reason: 'move' }));
    await rig.drain();
    expect(ran).toEqual(['mail']);
  });

  it('as a dead letter stays one, is listed under its new type, and is redriven there', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(old, { fails: true }, { retry: 'never' });
    await rig.drain();
    expect(await admin.move(id, { type: 'mail.send', worker: 'mail' })).toBe('moved');
    expect((await admin.list({ type: 'mail.send', state: 'dead' })).jobs).toMatchObject([{ id, worker: 'mail', lane: 'slow' }]);
    expect((await admin.list({ type: 'report.old', state: 'dead' })).jobs).toEqual([]);
    expect(await admin.redrive(id)).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual(['old', 'mail']);
  });

  it('takes its unique key along to the new type, unless a job there holds it', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(old, {}, { key: 'k', delay: 'PT1H' });
    expect(await admin.move(id, { type: 'mail.send', worker: 'mail' })).toBe('moved');
    expect(await rig.client.enqueue(mail, {}, { key: 'k' })).toEqual({ id, duplicate: true });
    const next = await rig.client.enqueue(old, {}, { key: 'k', delay: 'PT1H' });
    expect(next.duplicate).toBe(false);
    expect(await admin.move(next.id, { type: 'mail.send' })).toBe('key-taken');
    expect(await admin.move(next.id, { worker: 'mail' })).toBe('moved');
    expect((await rig.client.enqueue(old, {}, { key: 'k' })).duplicate).toBe(true);
  });

  it('is left alone where it runs, is gone, or is there already', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(limited, {});
    const running = rig.deliver();
    await rig.settle();
    expect(await admin.move(id, { worker: 'mail' })).toBe('running');
    await rig.until(running);
    expect(await admin.move(id, { worker: 'mail' })).toBe('finished');
    const again = await rig.client.enqueue(old, {});
    expect(await admin.move(again.id, { worker: 'default', type: 'report.old' })).toBe('moved');
    expect(await rig.tables.get('jobs', idKey(again.id))).toMatchObject({ rev: 1 });
    expect(await admin.audit()).toEqual([]);
    const row = (await rig.tables.get('jobs', idKey(again.id))) ?? {};
    await quarantine(rig.tables, 'jobs', row, { error: new Error('test'), now: rig.clock.now() });
    expect(await admin.move(again.id, { worker: 'mail' })).toBe('unreadable');
  });

  it('is left to its schedule while it waits for it', async () => {
    const { rig, admin } = stage();
    await admin.schedules.put(defineSchedule('nightly', { job: old, payload: {}, every: 'PT1H' }));
    const [timer] = await rig.rows('timers');
    expect(await admin.move(String(timer?.['id']), { worker: 'mail' })).toBe('occurrence');
  });

  it.each([
    ['no destination', {}, /^to: .*worker, type, or both/],
    ['a worker that is none', { worker: 'none' }, /^worker: "none" .*This deployment has: default, mail\./],
    ['a name that is none', { type: '1x' }, /^type: "1x" /],
    ['what nobody knows', { lane: 'x' }, /^to: "lane" .*worker, type/],
    ['no object', 'mail', /^to: /],
  ])('is refused with %s', async (_, to, message) => {
    await expect(stage().admin.move('019b76da-a800-7a00-887f-bf7479cb86df', to as object)).rejects.toThrow(message);
  });
});

describe('a move to a type that the session knows', () => {
  it('goes to the worker of that type', async () => {
    const { rig, admin, at } = stage([strict]);
    const { id } = await rig.client.enqueue(old, { a: 'x' });
    expect(await admin.move(id, { type: 'strict' })).toBe('moved');
    expect(await at(id)).toMatchObject({ type: 'strict', worker: 'mail' });
  });

  it('is refused when the payload does not fit, lifted where it is older', async () => {
    const { rig, admin, at } = stage([strict]);
    const { id } = await rig.client.enqueue(old, { b: 1 });
    expect(await admin.move(id, { type: 'strict' })).toBe('unfit');
    expect(await at(id)).toMatchObject({ type: 'report.old', worker: 'default' });
    const newer = await rig.client.enqueue(strict, { to: 'x' });
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id: newer.id }, set: { schemaVersion: 3, type: 'report.old' } });
    expect(await admin.move(newer.id, { type: 'strict' })).toBe('unfit');
    const same = await rig.client.enqueue(strict, { to: 'x' });
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id: same.id }, set: { payload: '{"to":1}', type: 'report.old' } });
    expect(await admin.move(same.id, { type: 'strict' })).toBe('unfit');
  });
});

describe('a bulk move', () => {
  it('counts first, moves what matches, and goes on only when a canary completed', async () => {
    const { rig, admin, ran } = stage();
    await rig.client.enqueueMany(old, [{}, {}, {}]);
    await rig.client.enqueue(old, { fails: true }, { retry: 'never', delay: 'PT1H' });
    const action = { verb: 'move', type: 'mail.send', worker: 'mail' } as const;
    expect(await admin.bulk(action, { type: 'report.old' }, { dryRun: true })).toMatchObject({ matched: 4 });
    const bulk = admin.bulk(action, { type: 'report.old', state: 'ready' }, { canary: true, reason: 'split' });
    await rig.settle();
    await rig.execute(rig.hints.receive({ worker: 'mail', lane: 'slow', kind: 'standard' }, 10));
    expect(ran).toEqual(['mail']);
    expect(await rig.until(bulk, 500)).toMatchObject({ status: 'done', done: 3, canary: { outcome: 'completed' } });
    await rig.drain();
    expect(ran).toEqual(['mail', 'mail', 'mail']);
  });

  it.each([
    [{}, /^to: /],
    [{ worker: 'No' }, /^worker: "No" /],
    [{ worker: 'none' }, /^worker: "none" .*This deployment has: default, mail\./],
    [{ type: '1x' }, /^type: "1x" /],
    [{ lane: 'x' }, /^action: "lane" /],
  ])('is refused with %j before anything is read', async (to, message) => {
    const { admin } = stage();
    for (const dryRun of [true, false])
      await expect(admin.bulk({ verb: 'move', ...to } as never, { type: 'report.old' }, { dryRun })).rejects.toThrow(message);
    expect(await admin.audit()).toEqual([]);
  });

  it('counts a job as moved that no longer matches, if the process died before it could tell', () => {
    expect(hasHappened({ verb: 'move', worker: 'mail' }, ['ready'], 'changed')).toBe(true);
  });

  it('takes a canary that is due within its time, and none that is due later', async () => {
    const { rig, admin, ran, at } = stage();
    const { id } = await rig.client.enqueue(old, {}, { delay: 'PT3M' });
    const action = { verb: 'move', type: 'mail.send', worker: 'mail' } as const;
    const early = await admin.bulk(action, { id }, { canary: true, canaryWithin: 'PT2M' });
    expect(early).toMatchObject({ status: 'canary-failed', canary: { outcome: 'not-due' } });
    const bulk = admin.bulk(action, { id }, { canary: true, canaryWithin: 'PT4M' });
    await rig.settle();
    expect(await at(id)).toMatchObject({ worker: 'mail' });
    await rig.clock.advance(3 * MINUTE);
    await rig.settle();
    await rig.drain();
    expect(await rig.until(bulk, 500)).toMatchObject({ status: 'done', canary: { outcome: 'completed' } });
    expect(ran).toEqual(['mail']);
  });

  it('takes no canary that would not run: a timer, a dead letter, a breakpoint', async () => {
    const { rig, admin } = stage();
    await rig.client.enqueue(old, {}, { delay: 'PT1H' });
    const stopped = await rig.client.enqueue(old, {});
    await admin.breakpoint(stopped.id, { reason: 'test' });
    await rig.client.enqueue(old, { fails: true }, { retry: 'never' });
    await rig.drain();
    const report = await admin.bulk({ verb: 'move', worker: 'mail' }, { type: 'report.old' }, { canary: true });
    expect(report).toMatchObject({ status: 'canary-failed', done: 0, canary: { outcome: 'not-due' } });
    await admin.suspend({ type: 'report.old' }, { reason: 'test' });
    await rig.clock.advance(MINUTE);
    const held = await rig.client.enqueue(old, {});
    await rig.drain();
    const bulk = admin.bulk({ verb: 'move', type: 'mail.send', worker: 'mail' }, { type: 'report.old' }, { canary: true });
    await rig.settle();
    await rig.deliver();
    expect(await rig.until(bulk, 500)).toMatchObject({ status: 'done', done: 4, canary: { id: held.id, outcome: 'completed' } });
  });
});
