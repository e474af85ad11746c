import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob, type JobTypeOptions } from '../../shared/job/job-type.ts';
import { endUnstarted } from '../../shared/store/end-unstarted.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { idKey } from '../../shared/store/rows.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { faultyRig, take } from '../support/faulty-rig.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const iso = (ms: number): string => new Date(ms).toISOString();

function stage(type: Partial<JobTypeOptions<typeof anyPayload>> = {}, options: RigOptions = {}) {
  const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1H', ...type });
  const ran: unknown[] = [];
  const handler = work.handle(({ payload, job }) => {
    ran.push(job.attempt);
    if (payload['fail'] === true && job.attempt === 1) throw new Error('no answer');
  });
  const rig = new Rig({ handlers: [handler], ...options });
  return { rig, ran, work, admin: createAdminOver(rig.deps) };
}

describe('a job that has to start in time', () => {
  it('starts at the last instant, and a moment later ends as expired, without an attempt', async () => {
    for (const [waits, state] of [
      [10 * MINUTE, 'completed'],
      [10 * MINUTE + 1, 'expired'],
    ] as const) {
      const { rig, ran, work } = stage();
      const { id } = await rig.client.enqueue(work, {}, { startWithin: 'PT10M' });
      await rig.clock.advance(waits);
      await rig.drain();
      expect(ran).toHaveLength(state === 'completed' ? 1 : 0);
      expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: state });
      expect(await rig.rows('history')).toMatchObject([{ starts: state === 'completed' ? 1 : 0 }]);
      expect(rig.journal.count('expired')).toBe(state === 'expired' ? 1 : 0);
      expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
      await rig.clock.advance(HOUR);
      expect(await rig.deliver()).toBe(0);
    }
  });

  it('counts from its due time, whether its type or its options say so', async () => {
    const { rig, work } = stage({ startWithin: 'PT5M' });
    const now = rig.clock.now();
    await rig.client.enqueue(work, {}, { delay: 'PT2H' });
    await rig.client.enqueue(work, {}, { delay: 'PT2H', startWithin: 'PT1H' });
    await rig.client.enqueue(work, {}, { delay: 'PT2H', startBy: iso(now + 4 * HOUR) });
    const startBys = (await rig.rows('timers')).map(({ startBy }) => String(startBy)).toSorted();
    expect(startBys).toEqual([now + 2 * HOUR + 5 * MINUTE, now + 3 * HOUR, now + 4 * HOUR].map(iso));
  });

  it('is a dead letter if its type says so, with the time as its error, and a redrive starts it', async () => {
    const { rig, ran, work, admin } = stage({ startWithin: 'PT10M', onExpiry: 'dead-letter' });
    const { id } = await rig.client.enqueue(work, {});
    await rig.clock.advance(HOUR);
    await rig.drain();
    expect(await admin.find(id)).toMatchObject({ state: 'dead', reason: 'expired', failures: 0, error: { name: 'JobExpired' } });
    // It never started, so no attempt ended with this error.
    expect(await rig.rows('deadLetters')).toMatchObject([{ starts: 0 }]);
    const [error, ...others] = (await admin.find(id))?.lastErrors ?? [];
    expect([error?.text.startsWith('JobExpired'), error?.attempt, others]).toEqual([true, undefined, []]);
    expect((await admin.explain(id))?.text).toContain('it did not start in time');
    expect(await admin.redrive(id)).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual([1]);
  });

  it('is tried again whenever that may be, once it has started', async () => {
    const { rig, ran, work } = stage({ startWithin: 'PT10M' });
    const { id } = await rig.client.enqueue(work, { fail: true });
    await rig.drain();
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual([1, 2]);
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'completed' });
  });

  it('may start later when it is rescheduled, and whenever an operator says run now', async () => {
    const { rig, ran, work, admin } = stage({ startWithin: 'PT10M' });
    const moved = await rig.client.enqueue(work, {});
    await rig.client.reschedule(moved.id, { delay: 'PT5H' });
    expect((await rig.rows('timers'))[0]).toMatchObject({ startBy: iso(rig.clock.now() + 5 * HOUR + 10 * MINUTE) });
    const late = await rig.client.enqueue(work, {});
    await rig.clock.advance(HOUR);
    await admin.runNow(late.id);
    await rig.drain();
    expect(ran).toEqual([1]);
  });

  it('frees its key, and counts as cancelled in its batch', async () => {
    const { rig, work } = stage({ startWithin: 'PT10M' });
    const first = await rig.client.enqueue(work, {}, { key: 'k' });
    const batch = await rig.client.createBatch();
    await batch.enqueue(work, {});
    await batch.seal();
    await rig.clock.advance(HOUR);
    await rig.drain();
    await rig.sweep();
    expect(await rig.client.batch(batch.id)).toMatchObject({ cancelled: 1, succeeded: 0 });
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).id).not.toBe(first.id);
  });

  it('counts as failed in its batch if it is a dead letter', async () => {
    const { rig, work } = stage({ startWithin: 'PT10M', onExpiry: 'dead-letter' });
    const batch = await rig.client.createBatch();
    const { id } = await batch.enqueue(work, {});
    await batch.seal();
    await rig.clock.advance(HOUR);
    await rig.drain();
    await rig.sweep();
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'expired' });
    expect(await rig.client.batch(batch.id)).toMatchObject({ failed: 1, cancelled: 0, succeeded: 0 });
  });

  it('counts from the end of the batch for its callback, whose time the type or its options give, and not from when the batch was created', async () => {
    const { work, rig, ran } = stage({ startWithin: 'PT10M' });
    const batch = await rig.client.createBatch({
      onCompleted: followUp(work, {}),
      onSucceeded: followUp(work, {}, { startWithin: 'PT5M' }),
    });
    await rig.clock.advance(HOUR);
    await batch.seal();
    const startBys = (await rig.rows('jobs')).map(({ startBy }) => Date.parse(String(startBy)) - rig.clock.now());
    expect(startBys.toSorted((a, b) => a - b)).toEqual([5 * MINUTE, 10 * MINUTE]);
    await rig.drain();
    expect(ran).toEqual([1, 1]);
  });

  it('keeps the instant that the options of a callback name', async () => {
    const { work, rig, ran } = stage({ startWithin: 'PT10M' });
    const batch = await rig.client.createBatch({ onCompleted: followUp(work, {}, { startBy: iso(rig.clock.now() + MINUTE) }) });
    await rig.clock.advance(HOUR);
    await batch.seal();
    await rig.drain();
    expect(ran).toEqual([]);
    expect(rig.journal.count('expired')).toBe(1);
  });

  it('ends as cancelled when a cancel was requested', async () => {
    const rig = faultyRig({ handlers: [stage().work.handle(() => {})] });
    const { work } = stage();
    const { id } = await rig.client.enqueue(work, {}, { startWithin: 0 });
    await rig.clock.advance(MINUTE);
    rig.faults.before(aimAt('delete', 'jobs'), () => rig.client.cancel(id, { reason: 'changed my mind' }));
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'cancelled', cancelReason: 'changed my mind' });
    expect(rig.journal.count('expired')).toBe(0);
  });

  it('is left to the process that holds its lease by then', async () => {
    const { rig, work } = stage();
    const { id } = await rig.client.enqueue(work, {}, { startWithin: 0 });
    const job = await take(rig, id);
    const terms = { token: 't', now: rig.clock.now() };
    expect(await endUnstarted(rig.tables, { ...job, lockOwner: 'run/another' }, { outcome: 'expired' }, terms)).toEqual({ result: 'lost' });
    expect(await rig.tables.get('jobs', idKey(id))).toBeDefined();
  });

  it('is found by its outcome, and says beforehand until when it may start', async () => {
    const { rig, work, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { startWithin: 'PT1M' });
    expect((await admin.explain(id))?.text).toContain(`It has to start by ${iso(rig.clock.now() + MINUTE)}, or it expires.`);
    await rig.clock.advance(HOUR);
    await rig.drain();
    const { jobs } = await admin.list({ state: 'finished', outcome: 'expired' });
    expect(jobs.map((job) => job.id)).toEqual([id]);
    expect((await admin.explain(id))?.text).toContain('It expired: it had to start by');
  });
});

describe('what operators see of a job that has to start in time', () => {
  it('is said while it waits as a timer, in its queue, for a slot and in Suspended, and no more once it has started', async () => {
    const one = defineLimit('one', { concurrency: 1 });
    const { rig, work, admin } = stage({ startWithin: 'PT1H', limits: [one] });
    const by = (ms: number): string => `It has to start by ${iso(rig.clock.now() + ms)}, or it expires.`;
    const said = async (id: string): Promise<string> => (await admin.explain(id))?.text ?? '';
    const waiting = await rig.client.enqueue(work, {}, { delay: 'PT2H' });
    expect(await said(waiting.id)).toContain(by(3 * HOUR));
    expect(await admin.find(waiting.id)).toMatchObject({ startBy: new Date(rig.clock.now() + 3 * HOUR) });
    const stopped = await rig.client.enqueue(work, {});
    expect(await admin.breakpoint(stopped.id, { reason: 'looks wrong' })).toBe('stopped');
    expect(await said(stopped.id)).toContain(by(HOUR));
    const failed = await rig.client.enqueue(work, { fail: true });
    await rig.drain();
    expect(await said(failed.id)).not.toContain('has to start by');
    await admin.setLimit('one', 0);
    await rig.clock.advance(10_000);
    const parked = await rig.client.enqueue(work, {});
    await rig.drain();
    expect(await said(parked.id)).toMatch(/It is parked since .* under the limit one/);
    expect(await said(parked.id)).toContain(by(HOUR));
    await rig.clock.advance(2 * HOUR);
    expect(await said(parked.id)).toContain('so it expires when its turn comes.');
  });
});

describe('an option of expiry that cannot work', () => {
  const { work } = stage();
  it.each<[string, object, string]>([
    ['a duration that is none', { startWithin: 'soon' }, 'startWithin'],
    ['both at once', { startWithin: 'PT1M', startBy: new Date(2100, 1) }, 'startBy'],
    ['a time before the job is due', { delay: 'PT1H', startBy: new Date(0) }, 'startBy'],
    ['a time beyond what can be stored', { startBy: new Date(8.64e15) }, 'startBy'],
  ])('%s is refused, and nothing is written', async (_name, options, field) => {
    const rig = new Rig();
    const error = await rig.client.enqueue(work, {}, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as InvalidInputError).field).toBe(field);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('is refused where the type is defined', () => {
    expect(() => stage({ startWithin: 'soon' })).toThrow(/startWithin/);
    expect(() => stage({ onExpiry: 'vanish' as never })).toThrow(/onExpiry: "vanish" is not valid/);
  });
});
