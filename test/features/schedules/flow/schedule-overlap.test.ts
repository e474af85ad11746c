import { describe, expect, it } from 'vitest';
import { NonRetryableError, StoreUnavailableError } from '../../../../shared/job/errors.ts';
import type { JobHandler } from '../../../../shared/job/job-type.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { scheduleKey, scheduleRunKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { takeScheduleTurn } from '../../../../shared/features/schedules/store/schedule-turn.ts';
import { executeMessages } from '../../../../functions/executor/execute-messages.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const TEN_MINUTES = '*/10 * * * *';

const nominal = (minute: number) => `2026-03-01T00:${minute}:00`;
const outcomes = async (rig: ScheduledRig) => (await rig.rows('history')).map((row) => String(row['outcome'])).toSorted();

/** 00:10 dies at once, and 00:20 snoozes until about 00:34; what comes later ends at once. */
const deadThenLong: JobHandler = ({ job }) => {
  const at = job.nominalAt?.getMinutes();
  if (at === 10 && job.attempt === 1 && !hasDied.has(job.id)) {
    hasDied.add(job.id);
    throw new NonRetryableError('dies once');
  }
  return at === 20 && job.attempt < 3 ? { verdict: 'snooze', delayMs: 7 * MINUTE } : undefined;
};
const hasDied = new Set<string>();

describe('overlap: skip, while an occurrence runs', () => {
  async function running(): Promise<ScheduledRig> {
    hasDied.clear();
    const rig = scheduled(deadThenLong);
    await rig.admin.schedules.put(schedule({ cron: TEN_MINUTES, overlap: 'skip' }));
    await rig.pass(22 * MINUTE);
    expect(rig.ran).toEqual([nominal(10), nominal(20)]);
    return rig;
  }

  it('drops no occurrence that an operator redrives: it waits until the other is finished', async () => {
    const rig = await running();
    const [dead] = await rig.rows('deadLetters');
    expect(await rig.admin.redrive(String(dead?.['id']))).toBe('redriven');
    await rig.pass(10 * MINUTE);
    expect(rig.ran.filter((at) => at === nominal(10))).toHaveLength(1);
    await rig.pass(4 * MINUTE);
    expect(rig.ran.filter((at) => at === nominal(10))).toHaveLength(2);
    expect(await outcomes(rig)).toEqual(['completed', 'completed', 'skipped']);
  });

  it('drops one whose claim was undone because the store did not answer, and counts no attempt', async () => {
    const rig = await running();
    const transact = rig.tables.transact.bind(rig.tables);
    let refused = 0;
    rig.tables.transact = async (writes, ...more) => {
      const skips = writes.some((write) => write.op === 'put' && write.row['outcome'] === 'skipped');
      if (skips && ++refused === 1) throw new StoreUnavailableError('transact', new Error('no answer'));
      return transact(writes, ...more);
    };
    await rig.pass(16 * MINUTE);
    expect(refused).toBe(2);
    expect(rig.ran).not.toContain(nominal(30));
    expect(await outcomes(rig)).toEqual(['completed', 'skipped']);
    const skipped = (await rig.rows('history')).find((row) => row['outcome'] === 'skipped');
    expect(skipped).toMatchObject({ starts: 0 });
  });

  it('drops none that an operator starts by hand either', async () => {
    const rig = await running();
    const id = (await rig.admin.schedules.runNow('nightly')) ?? '';
    await rig.pass(16 * MINUTE);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
  });
});

describe('overlap: queue', () => {
  it('holds through the wait of a retry: the occurrences behind it wait as well', async () => {
    const rig = scheduled(({ job }) => {
      if (job.nominalAt?.getMinutes() === 10 && job.failures === 0) throw new Error('fails once');
      return undefined;
    });
    await rig.admin.schedules.put({ ...schedule({ cron: TEN_MINUTES, overlap: 'queue' }), retry: 'R3/PT25M' });
    await rig.pass(34 * MINUTE);
    expect(rig.ran).toEqual([nominal(10)]);
    await rig.pass(5 * MINUTE);
    expect(rig.ran).toEqual([nominal(10), nominal(10), nominal(20), nominal(30)]);
  });

  /** 00:10 fails at first, so that 00:20 to 00:40 wait for its retry at 00:45. */
  async function waiting(): Promise<ScheduledRig> {
    const rig = scheduled(({ job }) => {
      if (job.nominalAt?.getMinutes() === 10 && job.failures === 0) throw new Error('fails once');
      return undefined;
    });
    await rig.admin.schedules.put({ ...schedule({ cron: TEN_MINUTES, overlap: 'queue' }), retry: 'R3/PT35M' });
    await rig.pass(41 * MINUTE);
    expect(rig.ran).toEqual([nominal(10)]);
    return rig;
  }
  const ready = async (rig: ScheduledRig, minute: number) => {
    const row = (await rig.rows('jobs')).find((job) => String(job['nominalAt']).startsWith(nominal(minute)));
    return String(row?.['id']);
  };
  const places = async (rig: ScheduledRig) => {
    const { pk } = scheduleRunKey('nightly');
    return (await rig.rows('control')).filter((row) => row['pk'] === pk && String(row['sk']).startsWith('line#'));
  };

  it('starts those that waited in the order of their times, and leaves no place behind', async () => {
    const rig = await waiting();
    expect(await places(rig)).toHaveLength(3);
    await rig.pass(8 * MINUTE);
    expect(rig.ran).toEqual([nominal(10), nominal(10), nominal(20), nominal(30), nominal(40)]);
    await rig.pass(2 * MINUTE);
    expect(rig.ran.at(-1)).toBe(nominal(50));
    expect(await places(rig)).toEqual([]);
  });

  it('keeps the order though a message of an earlier one is late', async () => {
    const rig = await waiting();
    // The executor gets 00:20 only when it comes back.
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id: await ready(rig, 20) }, set: { dueAt: '2026-03-01T00:48:00.000Z' } });
    await rig.pass(6 * MINUTE);
    expect(rig.ran).toEqual([nominal(10), nominal(10)]);
    await rig.pass(6 * MINUTE);
    expect(rig.ran.slice(2)).toEqual([nominal(20), nominal(30), nominal(40), nominal(50)]);
  });

  it('does not wait for one that an operator suspended or cancelled while it waited', async () => {
    const rig = await waiting();
    const suspended = await ready(rig, 20);
    expect(await rig.admin.breakpoint(suspended, { reason: 'looks wrong' })).toBe('stopped');
    expect(await rig.client.cancel(await ready(rig, 30))).toBe('cancelled');
    await rig.pass(8 * MINUTE);
    expect(rig.ran).toEqual([nominal(10), nominal(10), nominal(40)]);
    expect(await places(rig)).toEqual([]);
    await rig.admin.resumeJob(suspended);
    await rig.pass(2 * MINUTE);
    expect(rig.ran).toContain(nominal(20));
  });

  it('runs an occurrence that was redriven next, as the earliest of those that wait', async () => {
    let fails = true;
    const rig = scheduled(({ job }) => {
      const at = job.nominalAt?.getMinutes();
      if (at === 10 && fails) throw new NonRetryableError('dies once');
      if (at === 20 && job.failures === 0) throw new Error('fails once');
      return undefined;
    });
    await rig.admin.schedules.put({ ...schedule({ cron: TEN_MINUTES, overlap: 'queue' }), retry: 'R3/PT25M' });
    await rig.pass(41 * MINUTE);
    const [dead] = await rig.rows('deadLetters');
    fails = false;
    expect(await rig.admin.redrive(String(dead?.['id']))).toBe('redriven');
    await rig.pass(8 * MINUTE);
    expect(rig.ran).toEqual([nominal(10), nominal(20), nominal(20), nominal(10), nominal(30), nominal(40)]);
  });

  it('starts no second attempt for an occurrence that only waited', async () => {
    const attempts: number[] = [];
    const rig = scheduled(({ job }) => {
      if (job.nominalAt?.getMinutes() === 10) return job.attempt < 3 ? { verdict: 'snooze', delayMs: 7 * MINUTE } : undefined;
      attempts.push(job.attempt);
      return undefined;
    });
    await rig.admin.schedules.put(schedule({ cron: TEN_MINUTES, overlap: 'queue' }));
    await rig.pass(29 * MINUTE);
    expect(attempts).toEqual([1]);
  });
});

describe('the turn of a schedule', () => {
  const claimed = (id: string, claim: string) => ({ id, lockOwner: `run/${claim}`, lockExpiresAt: 0 });

  it('is not taken over from a dead holder that was redriven and took it again between the look and the put', async () => {
    const rig = scheduled(() => Promise.reject(new NonRetryableError('dies')));
    await rig.admin.schedules.put(schedule({ cron: TEN_MINUTES, overlap: 'skip' }));
    await rig.pass(11 * MINUTE);
    const [dead] = await rig.rows('deadLetters');
    const holder = String(dead?.['id']);
    let puts = 0;
    const tables: Tables = {
      ...rig.tables,
      write: async (write, window) => {
        if (++puts === 2)
          expect(await takeScheduleTurn(rig.tables, 'nightly', claimed(holder, 'again'), { now: rig.clock.now() })).toEqual({
            taken: true,
          });
        return rig.tables.write(write, window);
      },
    };
    const { next } = (await rig.admin.schedules.get('nightly')) ?? {};
    expect(await takeScheduleTurn(tables, 'nightly', claimed(next?.id ?? '', 'first'), { now: rig.clock.now() })).toMatchObject({
      taken: false,
    });
    expect(await rig.tables.get('control', scheduleRunKey('nightly'))).toMatchObject({ jobId: holder, claim: 'run/again' });
  });

  it('is mine when the reply to the put that took it over was lost', async () => {
    const rig = scheduled();
    await takeScheduleTurn(rig.tables, 'nightly', claimed('019cabcd-0000-7000-8000-000000000001', 'gone'), { now: rig.clock.now() });
    const twice: Tables = {
      ...rig.tables,
      write: async (write, window) => {
        await rig.tables.write(write, window);
        return rig.tables.write(write, window);
      },
    };
    const id = '019cabcd-0000-7000-8000-000000000002';
    expect(await takeScheduleTurn(twice, 'nightly', claimed(id, 'mine'), { now: rig.clock.now() })).toEqual({ taken: true });
  });
});

it('an executor whose clock went back does not go by what it saw of a schedule before', async () => {
  const rig = scheduled();
  await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *' }));
  await rig.pass(2 * MINUTE);
  expect(rig.ran).toHaveLength(1);
  const key = scheduleKey('nightly');
  // The clock of this sandbox was ahead by an hour when it looked.
  const clock = { now: () => rig.clock.now() + 60 * MINUTE, wait: async (ms: number, signal?: AbortSignal) => rig.clock.wait(ms, signal) };
  await rig.tick();
  await rig.clock.advance(2 * MINUTE);
  const invocation = { requestId: 'ahead', deadlineAt: clock.now() + 5 * MINUTE };
  for (const queue of rig.queues) {
    const messages = rig.hints.receive(queue, 10);
    await executeMessages({ ...rig.deps, clock }, messages, invocation);
    for (const message of messages) rig.hints.acknowledge(message);
  }
  expect(rig.ran).toHaveLength(2);
  await rig.tick();
  const pausedAt = new Date(rig.clock.now() - SECOND).toISOString();
  await rig.tables.write({ op: 'update', table: 'control', key, set: { pausedAt } });
  await rig.clock.advance(2 * MINUTE);
  await rig.drain();
  expect(rig.ran).toHaveLength(2);
});

it('an occurrence whose schedule goes on again while it is looked at runs', async () => {
  const rig = scheduled();
  await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *' }));
  await rig.tick();
  const key = scheduleKey('nightly');
  await rig.tables.write({ op: 'update', table: 'control', key, set: { pausedAt: new Date(rig.clock.now() - SECOND).toISOString() } });
  await rig.clock.advance(2 * MINUTE);
  const get = rig.tables.get.bind(rig.tables);
  let resumed = false;
  rig.tables.get = async (table, wanted) => {
    const row = await get(table, wanted);
    if (!resumed && row?.['pausedAt'] !== undefined) {
      resumed = true;
      await rig.tables.write({ op: 'update', table: 'control', key, set: {}, remove: ['pausedAt'] });
    }
    return row;
  };
  await rig.drain();
  expect(resumed).toBe(true);
  expect(rig.ran).toHaveLength(1);
});
