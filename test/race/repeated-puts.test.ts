import { describe, expect, it, vi } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { PUT_WINDOW_MS } from '../../operate/wait-for-put-window.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { WAIT } from '../support/patience.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { rigTables } from '../support/rig-tables.ts';

const work = defineJob('work', { payload: anyPayload });
const REPEATED_AFTER_MS = 3_000;

/** Each plain put is applied, its reply is lost, and the SDK tries again some seconds later. */
function losingReplies(inner: Tables, clock: SettableClock): Tables {
  return {
    get: async (table, key) => inner.get(table, key),
    query: async (query) => inner.query(query),
    scan: async (scan) => inner.scan(scan),
    putAll: async (table, rows, window) => inner.putAll(table, rows, window),
    transact: async (writes, token, window) => inner.transact(writes, token, window),
    async write(write, window) {
      const first = await inner.write(write, window);
      if (write.op !== 'put' || window?.notAfter === undefined) return first;
      await clock.wait(REPEATED_AFTER_MS);
      return { ...(await inner.write(write, window)), attempts: 2 };
    },
  };
}

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly id: string;
  readonly ran: string[];
  /** Lets the producer's put be repeated while this is done. */
  readonly meanwhile: <Answer>(work: Promise<Answer>) => Promise<Answer>;
}

/** A job that a producer has put and does not know of yet. */
async function stage(delay: string): Promise<Stage> {
  const clock = new SettableClock();
  const ran: string[] = [];
  const rig = new Rig({ clock, tables: rigTables(clock), handlers: [work.handle(({ job }) => void ran.push(job.id))] });
  const producer = new Rig({ clock, tables: losingReplies(rig.tables, clock) });
  const enqueued = producer.client.enqueue(work, { n: 1 }, { delay });
  const row = await vi.waitUntil(async () => [...(await rig.rows('jobs')), ...(await rig.rows('timers'))][0], WAIT);
  const id = String(row['id']);
  const admin = createAdminOver({ ...rig.deps, putWindowMs: PUT_WINDOW_MS });
  return {
    rig,
    admin,
    id,
    ran,
    async meanwhile(done) {
      const [answer] = await rig.until(Promise.all([done, enqueued]), 500);
      return answer;
    },
  };
}

describe('a put that is repeated because its reply was lost', () => {
  it.each([
    ['a bulk cancel', async (admin: Admin): Promise<unknown> => admin.bulk({ verb: 'cancel' }, { type: 'work' })],
    ['a cancelWhere', async (admin: Admin): Promise<unknown> => admin.cancelWhere({ type: 'work' })],
  ])('does not bring back what %s has cancelled', async (_name, cancel) => {
    const { rig, admin, id, ran, meanwhile } = await stage('PT5M');
    await meanwhile(cancel(admin));
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    await rig.clock.advance(300_000);
    await rig.drain();
    expect(ran).toEqual([]);
  });

  it.each([
    ['a bulk run-now', async ({ admin }: Stage): Promise<unknown> => admin.bulk({ verb: 'run-now' }, { type: 'work' })],
    ['runNow', async ({ admin, id }: Stage): Promise<unknown> => admin.runNow(id)],
  ])('does not put off again what %s has started', async (_name, act) => {
    const made = await stage('PT5M');
    await made.meanwhile(act(made));
    await made.rig.drain();
    expect(made.ran).toEqual([made.id]);
  });

  it.each([
    [
      'a bulk set-priority',
      async ({ admin }: Stage): Promise<unknown> => admin.bulk({ verb: 'set-priority', priority: 9 }, { type: 'work' }),
      { priority: 9 },
    ],
    ['setPriority', async ({ admin, id }: Stage): Promise<unknown> => admin.setPriority(id, 9), { priority: 9 }],
    ['editPayload', async ({ admin, id }: Stage): Promise<unknown> => admin.editPayload(id, { n: 2 }), { payload: '{"n":2}' }],
    ['changeTenant', async ({ admin, id }: Stage): Promise<unknown> => admin.changeTenant(id, 'acme'), { tenant: 'acme' }],
    ['setRetries', async ({ admin, id }: Stage): Promise<unknown> => admin.setRetries(id, 7), { rev: 2 }],
  ])('does not undo what %s has changed', async (_name, act, changed) => {
    const made = await stage('PT5M');
    await made.meanwhile(act(made));
    expect(await made.rig.rows('jobs')).toMatchObject([changed]);
  });

  it('does not bring back what bury has moved to the dead letters', async () => {
    const { rig, admin, id, meanwhile } = await stage('PT5M');
    expect(await meanwhile(admin.bury(id, { reason: 'test' }))).toBe('buried');
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 1 });
  });

  it('does not leave a job at two due times, or in two tables', async () => {
    const moved = await stage('PT5H');
    expect(await moved.meanwhile(moved.admin.setDueDate(moved.id, { delay: 'PT9H' }))).toBe('rescheduled');
    expect(await moved.rig.rows('timers')).toHaveLength(1);
    const stopped = await stage('PT5M');
    expect(await stopped.meanwhile(stopped.admin.breakpoint(stopped.id, { reason: 'test' }))).toBe('stopped');
    expect(await stopped.rig.counts()).toMatchObject({ jobs: 0, suspended: 1 });
  });
});

describe('no verb waits for a put', () => {
  const made = (): { rig: Rig; admin: Admin } => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    return { rig, admin: createAdminOver({ ...rig.deps, putWindowMs: PUT_WINDOW_MS }) };
  };

  it('that was made longer ago', async () => {
    const { rig, admin } = made();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5M' });
    await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    await rig.clock.advance(PUT_WINDOW_MS);
    expect(await admin.setPriority(id, 9)).toBe('set');
    expect(await admin.cancelWhere({ type: 'work' })).toMatchObject({ cancelled: 2 });
  });

  it('that is a transaction, which is not applied twice', async () => {
    const { rig, admin } = made();
    await rig.client.enqueue(work, {}, { key: 'once' });
    await rig.client.enqueueBatch(work, [{}]);
    expect(await admin.cancelWhere({ type: 'work' })).toMatchObject({ cancelled: 2 });
  });

  it('of a job that was changed since, because that verb has waited', async () => {
    const { rig, admin } = made();
    const { id } = await rig.client.enqueue(work, {});
    expect(await rig.until(admin.setPriority(id, 9))).toBe('set');
    expect(await admin.editPayload(id, { n: 2 })).toBe('edited');
    expect(await admin.bulk({ verb: 'cancel' }, { type: 'work' })).toMatchObject({ done: 1 });
  });

  it('for longer than its producer may repeat it, although the clock of that one is ahead', async () => {
    const { rig } = made();
    await rig.client.enqueue(work, {});
    const since = rig.clock.now();
    const early = { now: () => rig.clock.now() - 2_000, wait: async (ms: number) => rig.clock.wait(ms) };
    await rig.until(createAdminOver({ ...rig.deps, clock: early, putWindowMs: PUT_WINDOW_MS }).cancelWhere({ type: 'work' }));
    expect(rig.clock.now() - since).toBeLessThan(PUT_WINDOW_MS + 500);
  });
});

describe('the age of a job', () => {
  it('counts from its put, however long its payload was under way to it', async () => {
    const rig = new Rig();
    const slow = defineJob('slow', {
      payload: {
        '~standard': {
          version: 1,
          vendor: 'test',
          async validate(value: unknown) {
            await rig.clock.advance(20_000);
            return { value: value as object };
          },
        },
      },
    });
    await rig.client.enqueueMany(slow, [{}, {}]);
    const at = new Date(rig.clock.now()).toISOString();
    expect(await rig.rows('jobs')).toMatchObject([{ createdAt: at }, { createdAt: at }]);
  });
});
