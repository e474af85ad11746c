import { describe, expect, it } from 'vitest';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import type { ReceivedHint } from '../../../../shared/ports/hints.ts';
import { anyPayload } from '../../../support/rig.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const EVERY_TEN = { cron: '*/10 * * * *' } as const;

/** The acquirer works on, and no executor runs. */
async function withoutWorker(rig: ScheduledRig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += MINUTE) {
    await rig.tick();
    await rig.clock.advance(MINUTE);
  }
}

const minutes = (...all: readonly number[]): readonly string[] =>
  all.map((minute) => new Date(Date.parse('2026-03-01T00:00:00Z') + minute * MINUTE).toISOString().slice(0, 19));

describe('occurrences that fired in time while their worker was off', () => {
  it.each([
    ['coalesce', 1, 5],
    ['all', 6, 0],
    ['skip', 0, 6],
  ] as const)('run as missed: %s says, and those behind them at their time', async (missed, late, left) => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ ...EVERY_TEN, missed }));
    await withoutWorker(rig, 62 * MINUTE);
    await rig.drain();
    expect(rig.ran).toHaveLength(late);
    await rig.pass(20 * MINUTE);
    expect(rig.ran.toSorted().slice(late)).toEqual(minutes(70, 80));
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ missed: left, skipped: 0 });
    expect(rig.journal.count('skipped')).toBe(left);
    expect(await rig.counts()).toMatchObject({ deadLetters: 0, history: 8 });
  });

  it('run once for each outage, however long a queue is behind: the next one to run stands for those that came meanwhile', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '* * * * *' }));
    const held: { readonly at: number; readonly message: ReceivedHint }[] = [];
    let started = 0;
    for (let minute = 0; minute < 20; minute++) {
      await rig.tick();
      await rig.clock.advance(MINUTE);
      for (const queue of rig.queues) held.push(...rig.hints.receive(queue, 10).map((message) => ({ at: rig.clock.now(), message })));
      for (; (held[0]?.at ?? Number.POSITIVE_INFINITY) + 3 * MINUTE <= rig.clock.now(); started++)
        await rig.execute(held.splice(0, 1).map(({ message }) => message));
    }
    expect(rig.ran.length).toBeGreaterThan(3);
    expect(rig.ran.length).toBeLessThan(8);
    expect((await rig.admin.schedules.get('nightly'))?.missed).toBe(started - rig.ran.length);
  });

  it('run although their type has to start in time: only the missed policy decides', async () => {
    const rig = scheduled();
    const job = defineJob('report', { payload: anyPayload, startWithin: 'PT1M' });
    await rig.admin.schedules.put(defineSchedule('nightly', { job, payload: {}, missed: 'all', ...EVERY_TEN }));
    await withoutWorker(rig, 25 * MINUTE);
    await rig.drain();
    expect(rig.ran.toSorted()).toEqual(minutes(10, 20));
    expect(rig.journal.count('expired')).toBe(0);
  });

  it('run within a minute of their time, and of the longest delay by jitter', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ ...EVERY_TEN, missed: 'skip', jitter: 'PT5M' }));
    await withoutWorker(rig, 15 * MINUTE);
    await rig.drain();
    expect(rig.ran).toEqual(minutes(10));
  });

  it('are skipped once, with the reason in the journal and the outcome in History', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '30 0 * * *', missed: 'skip' }));
    await withoutWorker(rig, 8 * 60 * MINUTE);
    await rig.drain();
    expect(rig.ran).toEqual([]);
    expect(rig.journal.entries.filter(({ event }) => event === 'skipped')).toMatchObject([{ reason: 'missed' }]);
    expect(await rig.rows('history')).toMatchObject([{ outcome: 'skipped', schedule: 'nightly' }]);
  });
});

describe('occurrences that passed in a pause', () => {
  it('are counted as missed at the resume if the policy skips them', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ ...EVERY_TEN, missed: 'skip' }));
    await rig.admin.schedules.pause('nightly');
    await rig.clock.advance(35 * MINUTE);
    await rig.admin.schedules.resume('nightly');
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ missed: 3, runs: 0, skipped: 0 });
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ missed: 3 });
  });
});

describe('not missed, however late it starts, is an occurrence', () => {
  const late = async (prepare: (rig: ScheduledRig) => Promise<unknown>, options = {}): Promise<ScheduledRig> => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ ...EVERY_TEN, missed: 'skip', ...options }));
    await prepare(rig);
    await rig.drain();
    return rig;
  };

  it('that an operator started', async () => {
    const rig = await late(async (own) => {
      await own.admin.schedules.runNow('nightly');
      await own.clock.advance(5 * MINUTE);
    });
    expect(rig.ran).toHaveLength(1);
  });

  it('that its group held back', async () => {
    const rig = await late((own) => withoutWorker(own, 35 * MINUTE), { overlap: 'queue' });
    expect(rig.ran).toHaveLength(3);
  });

  it.each([
    [
      'an operator suspended',
      async (own: ScheduledRig, id: string) => {
        await own.admin.breakpoint(id, { reason: 'to look at it' });
        await own.clock.advance(30 * MINUTE);
        await own.admin.resumeJob(id);
      },
    ],
    [
      'an operator put off',
      async (own: ScheduledRig, id: string) => {
        await own.client.reschedule(id, { delay: 'PT20M' });
        await own.pass(22 * MINUTE);
      },
    ],
  ])('that %s', async (_, hold) => {
    const rig = await late(async (own) => {
      await own.pass(8 * MINUTE);
      const [{ id } = { id: '' }] = await own.rows('jobs');
      await hold(own, String(id));
    });
    expect(rig.ran).toContain('2026-03-01T00:10:00');
  });

  it('that is tried again', async () => {
    let fails = 1;
    const rig = scheduled(() => {
      if (fails-- > 0) throw new Error('no report yet');
    });
    await rig.admin.schedules.put({ ...schedule({ cron: '10 0 * * *', missed: 'skip' }), retry: 'R2/PT30M' });
    await rig.pass(60 * MINUTE);
    expect(rig.ran).toEqual(minutes(10, 10));
  });

  it('that an executor took in time and parked under a limit on concurrency', async () => {
    const job = defineJob('slow', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] });
    const ran: string[] = [];
    const handle = job.handle(async ({ job: { nominalAt } }) => {
      ran.push(nominalAt?.toISOString().slice(0, 19) ?? 'before');
      if (ran.length === 1) await rig.clock.wait(3 * MINUTE);
    });
    const rig: ScheduledRig = scheduled(undefined, { handlers: [handle] });
    await rig.admin.schedules.put(defineSchedule('nightly', { job, payload: {}, missed: 'skip', cron: '10 0 * * *' }));
    await rig.pass(9 * MINUTE);
    await rig.client.enqueue(job, {});
    const first = rig.deliver();
    await rig.settle();
    await rig.tick();
    await rig.clock.advance(MINUTE);
    await rig.deliver();
    expect(rig.journal.count('parked')).toBe(1);
    await rig.until(first);
    await rig.drain();
    expect(ran).toEqual(['before', ...minutes(10)]);
    expect(rig.journal.count('skipped')).toBe(0);
  });

  it('that a backfill enqueues', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ ...EVERY_TEN, missed: 'skip', from: '2026-02-01T00:00:00Z' }));
    await rig.admin.schedules.backfill('nightly', {
      from: new Date('2026-02-02T00:00:00Z'),
      to: new Date('2026-02-02T00:25:00Z'),
      apply: true,
    });
    await rig.clock.advance(5 * MINUTE);
    await rig.drain();
    // All are ready at once, and run beside each other.
    expect(rig.ran.toSorted()).toEqual(['2026-02-02T00:00:00', '2026-02-02T00:10:00', '2026-02-02T00:20:00']);
  });

  it('that fired late, because the acquirer was off: the policy was applied then', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ ...EVERY_TEN, missed: 'coalesce' }));
    await withoutWorker(rig, 22 * MINUTE);
    await rig.clock.advance(25 * MINUTE);
    await rig.drain();
    const [first = 'none'] = rig.ran;
    // Both are ready at once, and whichever starts first stands for the other.
    expect(minutes(10, 20)).toContain(first);
    await rig.pass(2 * MINUTE);
    expect(rig.ran).toEqual([first, ...minutes(30)]);
  });
});
