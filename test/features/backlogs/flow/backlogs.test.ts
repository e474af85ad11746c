import { describe, expect, it } from 'vitest';
import { complete } from '../../../../shared/job/verdict.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { BacklogFullError } from '../../../../shared/features/backlogs/model/backlog-full-error.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { faultyRig, loseMessages } from '../../../support/faulty-rig.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload, maxBacklog: 3, retry: 'never' });
const free = defineJob('free', { payload: anyPayload });
const parent = defineJob('parent', { payload: anyPayload });
const many = (count: number): Record<string, unknown>[] => Array.from({ length: count }, () => ({}));

const HANDLERS = [
  work.handle(({ payload }) => {
    if (payload['fail'] === true) throw new Error('no');
  }),
  free.handle(() => undefined),
  parent.handle(() => complete({ enqueue: [followUp(work, {})] })),
];

/** A rig whose sweeper has measured the backlog of `work`: `count` ready jobs. */
async function measured(count: number, options: RigOptions = {}): Promise<Rig> {
  const rig = new Rig({ handlers: HANDLERS, ...options });
  await rig.client.enqueueMany(work, many(count === 0 ? 1 : count));
  if (count === 0) await rig.drain();
  await next(rig);
  return rig;
}

/** The next run of the sweeper, a minute later. */
async function next(rig: Rig): Promise<void> {
  await rig.clock.advance(MINUTE);
  await rig.sweep();
}

const ready = async (rig: Rig): Promise<number> => (await rig.rows('jobs')).filter(({ type }) => type === 'work').length;

describe('a type with a bound on its backlog', () => {
  it('accepts jobs up to the bound, and refuses one more with what is known', async () => {
    const rig = await measured(2);
    const measuredAt = new Date(rig.clock.now());
    await rig.client.enqueue(work, {});
    const refused: unknown = await rig.client.enqueue(work, {}).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BacklogFullError);
    expect(refused).toMatchObject({
      code: 'BACKLOG_FULL',
      retryable: true,
      type: 'work',
      maxBacklog: 3,
      measured: 2,
      measuredAt,
      enqueuedSince: 1,
    });
    expect(await ready(rig)).toBe(3);
    expect(rig.journal.count('enqueued')).toBe(3);
  });

  it('counts what it has enqueued for as long as the measurement may refuse', async () => {
    const rig = await measured(1, { settings: { sweeperIntervalMs: 60 * MINUTE } });
    for (let n = 0; n < 2; n++) {
      await rig.client.enqueue(work, {});
      await rig.clock.advance(61 * MINUTE);
    }
    await expect(rig.client.enqueue(work, {})).rejects.toMatchObject({ measured: 1, enqueuedSince: 2 });
  });

  it('has room again when jobs have started and the sweeper has counted once more', async () => {
    const rig = await measured(3);
    await expect(rig.client.enqueue(work, {})).rejects.toThrow(BacklogFullError);
    await rig.drain();
    await rig.clock.advance(6_000);
    await expect(rig.client.enqueue(work, {})).rejects.toThrow(BacklogFullError);
    await next(rig);
    await rig.client.enqueueMany(work, many(3));
    await expect(rig.client.enqueue(work, {})).rejects.toThrow(BacklogFullError);
    expect(await ready(rig)).toBe(3);
  });

  it('refuses a bulk enqueue as a whole, and one that can never fit with another fix', async () => {
    const rig = await measured(1);
    await expect(rig.client.enqueueMany(work, many(3))).rejects.toThrow(
      /3 more of "work" would exceed 3 ready jobs\. 1 were ready .* Enqueue later/,
    );
    const refused: unknown = await rig.client.enqueueMany(work, many(4)).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      retryable: false,
      message: expect.stringMatching(/Enqueue fewer at once, or raise maxBacklog/) as unknown,
    });
    expect(await ready(rig)).toBe(1);
    expect(await rig.client.enqueueMany(work, many(2))).toMatchObject({ enqueued: 2 });
  });

  it('counts what is ready within the delay horizon, and neither counts nor refuses timers', async () => {
    const rig = await measured(3);
    await expect(rig.client.enqueue(work, {}, { delay: 'PT15M' })).rejects.toThrow(BacklogFullError);
    await expect(rig.client.enqueueMany(work, [{}], { delay: 'PT15M' })).rejects.toThrow(BacklogFullError);
    await rig.client.enqueue(work, {}, { delay: 'PT16M' });
    expect(await rig.client.enqueueMany(work, many(9), { delay: 'PT16M' })).toMatchObject({ enqueued: 9 });
    await rig.drain();
    await next(rig);
    await rig.client.enqueueMany(work, many(2));
    await rig.client.enqueue(work, {}, { delay: 'PT15M' });
    await next(rig);
    await expect(rig.client.enqueue(work, {})).rejects.toMatchObject({ measured: 3 });
  });

  it('reports an invalid time for each job, and an invalid type before there is a batch', async () => {
    const rig = await measured(3);
    const report = await rig.client.enqueueMany(work, many(2), { delay: 'soon' });
    expect(report).toMatchObject({ enqueued: 0, failed: [{ error: { field: 'delay' } }, { error: { field: 'delay' } }] });
    await expect(rig.client.enqueueBatch(undefined as never, [])).rejects.toMatchObject({ field: 'type' });
    expect((await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('batch'))).toEqual([]);
  });

  it('does not count running jobs, and counts those that will be tried again soon', async () => {
    const again = defineJob('work', { payload: anyPayload, maxBacklog: 3, retry: 'R3/PT5M' });
    const failing = again.handle(() => {
      throw new Error('later');
    });
    const rig = await measured(2, { handlers: [failing] });
    await rig.drain();
    await next(rig);
    await expect(rig.client.enqueueMany(work, many(2))).rejects.toMatchObject({ measured: 2 });
  });

  it('does not count duplicates, replaced jobs and invalid payloads as its own', async () => {
    const rig = await measured(0);
    await rig.client.enqueueMany(work, many(2), { keyOf: () => 'same' });
    await rig.client.enqueue(work, {}, { key: 'same' });
    const key = { value: 'same', onConflict: 'replace' } as const;
    expect(await rig.client.enqueue(work, {}, { key })).toMatchObject({ replaced: true });
    await rig.client.enqueueMany(work, [{ not: 1n }, {}]).then(({ failed }) => expect(failed).toHaveLength(1));
    await rig.client.enqueue(work, {});
    await expect(rig.client.enqueue(work, {})).rejects.toMatchObject({ enqueuedSince: 3 });
  });

  it('is accepted without a measurement, and the first client asks for one', async () => {
    const rig = new Rig();
    await rig.sweep();
    await rig.client.enqueueMany(work, many(5));
    await rig.client.enqueue(work, {});
    await next(rig);
    await expect(rig.client.enqueue(work, {})).rejects.toMatchObject({ measured: 6, enqueuedSince: 0 });
  });

  it('is accepted when the measurement is old because no sweeper runs', async () => {
    const rig = await measured(3);
    await rig.clock.advance(3 * MINUTE);
    await expect(rig.client.enqueue(work, {})).rejects.toThrow(BacklogFullError);
    await rig.clock.advance(1);
    expect(await rig.client.enqueue(work, {})).toMatchObject({ duplicate: false });
  });

  it('is accepted when the store does not answer what the backlog is, and the last measurement counts where there is one', async () => {
    const rig = faultyRig();
    rig.faults.unreadable((read) => read.op === 'query' && read.partition === 'backlog');
    await rig.client.enqueueMany(work, many(5));
    await rig.client.enqueue(work, {});
    expect(rig.journal.entries.filter(({ reason }) => reason === 'backlog')).toHaveLength(1);
    await next(rig);
    expect(rig.journal.entries.filter(({ reason }) => reason === 'backlogs')).toHaveLength(1);
    const known = faultyRig();
    await known.client.enqueueMany(work, many(3));
    await next(known);
    await expect(known.client.enqueue(work, {})).rejects.toThrow(BacklogFullError);
    known.faults.unreadable((read) => read.op === 'query' && read.partition === 'backlog');
    await known.clock.advance(MINUTE);
    await expect(known.client.enqueue(work, {})).rejects.toThrow(BacklogFullError);
  });

  it('is bounded for children of batches as a whole, before there is a batch', async () => {
    const rig = await measured(2);
    await expect(rig.client.enqueueBatch(work, many(2))).rejects.toThrow(BacklogFullError);
    expect((await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('batch'))).toEqual([]);
    const batch = await rig.client.createBatch({ onCompleted: followUp(work, {}) });
    await expect(batch.enqueueMany(work, many(2))).rejects.toThrow(BacklogFullError);
    await batch.enqueueMany(work, many(1));
    await expect(batch.enqueue(work, {})).rejects.toThrow(BacklogFullError);
    expect(await batch.seal()).toMatchObject({ total: 1 });
    await rig.drain();
    expect(await rig.client.batch(batch.id)).toMatchObject({ state: 'finished' });
    await next(rig);
    expect(await rig.client.enqueueBatch(work, many(3))).toMatchObject({ enqueued: 3 });
    await expect(rig.client.enqueue(work, {})).rejects.toMatchObject({ enqueuedSince: 3 });
  });

  it('does not hold back follow-ups, prepared jobs and redrives, which are counted later', async () => {
    const rig = new Rig({ handlers: HANDLERS });
    const { id } = await rig.client.enqueue(work, { fail: true });
    await rig.drain();
    await rig.client.enqueueMany(work, many(3));
    await next(rig);
    loseMessages(rig);
    await createAdminOver(rig.deps).redrive(id);
    await rig.client.enqueue(parent, {});
    await rig.execute(
      rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10).filter(({ body }) => !body.includes(id)),
    );
    const { items } = rig.client.prepare(work, {});
    await rig.tables.transact(items as never, 'prepared');
    expect(await ready(rig)).toBe(6);
    await next(rig);
    await expect(rig.client.enqueue(work, {})).rejects.toMatchObject({ measured: 6 });
  });

  it('is one count for a client and those that it makes for tenants', async () => {
    const rig = await measured(0);
    await rig.client.forTenant('a').enqueueMany(work, many(2));
    await rig.client.enqueue(work, {});
    await expect(rig.client.forTenant('b').enqueue(work, {})).rejects.toMatchObject({ enqueuedSince: 3 });
  });

  it('is shown with its measurement among the types', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    await rig.client.enqueueMany(work, many(2));
    expect((await admin.types()).types).toMatchObject([{ type: 'work', backlog: { bound: 3 } }]);
    await next(rig);
    const measuredAt = new Date(rig.clock.now());
    expect((await admin.types()).types).toMatchObject([{ type: 'work', backlog: { bound: 3, ready: 2, measuredAt } }]);
    await rig.clock.advance(8 * DAY);
    expect((await admin.types()).types).toEqual([]);
  });
});

describe('a type without a bound', () => {
  it('costs no read of a backlog and is not counted', async () => {
    const rig = await measured(1);
    const query = rig.tables.query.bind(rig.tables);
    const asked: unknown[] = [];
    rig.tables.query = async (what) => (asked.push(what.partition), query(what));
    await rig.client.enqueueMany(free, many(9));
    await rig.client.enqueue(free, {});
    expect(asked).toEqual([]);
  });
});
