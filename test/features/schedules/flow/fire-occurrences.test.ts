import { describe, expect, it } from 'vitest';
import { fireChain } from '../../../../functions/acquirer/fire-occurrences.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { MAX_AHEAD } from '../../../../shared/features/schedules/model/schedule.ts';
import { keyOf, TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import { decodeJob } from '../../../../shared/store/job-codec.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MINUTES = { cron: '* * * * *', missed: 'all' } as const;
const THIRD = '2026-03-01T00:03:00';

/** A schedule of every minute of which the occurrences through 00:05 are fired ahead; the third was given a time in an hour. */
async function thirdInAnHour(): Promise<ScheduledRig> {
  const rig = scheduled(undefined, { settings: { horizonMs: 5 * MINUTE } });
  await rig.admin.schedules.put(schedule(MINUTES));
  await rig.tick();
  const rows = (await rig.rows('jobs')).toSorted((one, other) => (String(one['dueAt']) < String(other['dueAt']) ? -1 : 1));
  expect(await rig.admin.setDueDate(String(rows[2]?.['id']), { delay: 'PT1H' })).toBe('rescheduled');
  return rig;
}

/** Runs `act` right before the next transaction. */
function beforeTransaction(rig: ScheduledRig, act: () => Promise<unknown>): void {
  const transact = rig.tables.transact.bind(rig.tables);
  rig.tables.transact = async (...args) => {
    rig.tables.transact = transact;
    await act();
    return transact(...args);
  };
}

describe('an occurrence that its schedule does not wait for any more', () => {
  it('runs when its own time comes, and the schedule goes on beside it', async () => {
    const rig = await thirdInAnHour();
    await rig.pass(HOUR + 2 * MINUTE);
    expect(rig.ran.filter((time) => time === THIRD)).toHaveLength(1);
    expect(rig.ran.length).toBeGreaterThanOrEqual(61);
    expect(new Set(rig.ran).size).toBe(rig.ran.length);
  });

  it('moves its schedule on no further', async () => {
    const rig = scheduled(undefined, { settings: { horizonMs: 5 * MINUTE } });
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    await rig.clock.advance(55 * MINUTE);
    await rig.tick();
    const [fired] = await rig.rows('jobs');
    await rig.admin.setDueDate(String(fired?.['id']), { delay: 'PT30M' });
    await rig.clock.advance(30 * MINUTE);
    const before = await rig.tables.get('control', scheduleKey('nightly'));
    await rig.tick();
    expect(await rig.counts()).toMatchObject({ jobs: 1, timers: 1 });
    expect(await rig.tables.get('control', scheduleKey('nightly'))).toEqual(before);
  });

  it('runs although its schedule was paused, if its turn came before the pause', async () => {
    const rig = await thirdInAnHour();
    await rig.pass(10 * MINUTE);
    await rig.admin.schedules.pause('nightly');
    await rig.pass(HOUR);
    expect(rig.ran).toContain(THIRD);
  });

  it('does not run if its schedule was paused before its turn', async () => {
    const rig = await thirdInAnHour();
    await rig.admin.schedules.pause('nightly');
    await rig.clock.advance(2 * HOUR);
    await rig.tick();
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('does not run when its schedule is gone', async () => {
    const rig = await thirdInAnHour();
    await rig.admin.schedules.delete('nightly');
    await rig.clock.advance(2 * HOUR);
    await rig.tick();
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it.each(['paused', 'deleted'])(
    'runs if an operator started it during a pause and put it off, though its schedule is %s',
    async (state) => {
      const rig = scheduled();
      await rig.admin.schedules.put(schedule({ cron: '0 9 * * *' }));
      await rig.admin.schedules.pause('nightly');
      await rig.clock.advance(MINUTE);
      const id = (await rig.admin.schedules.runNow('nightly')) ?? '';
      expect(await rig.client.reschedule(id, { delay: 'PT2H' })).toBe('rescheduled');
      if (state === 'deleted') await rig.admin.schedules.delete('nightly');
      await rig.pass(2 * HOUR + 2 * MINUTE, 10 * MINUTE);
      expect(rig.ran).toEqual(['2026-03-01T00:01:10']);
      expect(await rig.counts()).toMatchObject({ timers: 0, jobs: 0, history: 1 });
    },
  );

  it('is looked at again when it was changed before it could be dropped', async () => {
    const rig = await thirdInAnHour();
    await rig.admin.schedules.delete('nightly');
    await rig.clock.advance(HOUR);
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (change, ...rest) => {
      const key = change.op === 'delete' && change.table === 'timers' ? change.key : undefined;
      if (key !== undefined) await write({ op: 'update', table: 'timers', key, set: { priority: 5 }, add: { rev: 1 } });
      return write(change, ...rest);
    };
    await rig.tick();
    expect(await rig.rows('timers')).toMatchObject([{ priority: 5 }]);
  });
});

describe('an occurrence fires', () => {
  it('without its schedule when the row of that cannot be read, and this is journalled', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule(MINUTES));
    await rig.tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set: { definition: '{' } });
    await rig.clock.advance(MINUTE);
    await rig.fire();
    await rig.drain();
    expect(rig.ran).toEqual(['2026-03-01T00:01:00']);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'schedule#nightly' }));
  });

  it('not at all while the store does not say what its schedule is, and with its successor afterwards', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    await rig.clock.advance(HOUR);
    const get = rig.tables.get.bind(rig.tables);
    rig.tables.get = async (table, key) => {
      if (key['sk'] === 'nightly') throw new StoreUnavailableError('test', new Error('throttled'));
      return get(table, key);
    };
    expect(await rig.fire()).toMatchObject({ fired: 0, failed: 1 });
    rig.tables.get = get;
    expect(await rig.fire()).toMatchObject({ fired: 1, failed: 0 });
    expect(await rig.counts()).toMatchObject({ jobs: 1, timers: 1 });
  });

  it('in the same tick although its schedule changed in between', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    await rig.clock.advance(HOUR);
    beforeTransaction(rig, async () =>
      rig.tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set: { skipped: 1 }, add: { rev: 1 } }),
    );
    expect(await rig.fire()).toMatchObject({ fired: 1, failed: 0 });
  });
});

describe('the job of an occurrence', () => {
  it('belongs to its queue for as long as that of any other job', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    await rig.clock.advance(HOUR);
    await rig.fire();
    const { redispatchAfterMs } = rig.deployment.settings;
    expect(await rig.rows('jobs')).toMatchObject([{ lockExpiresAt: iso(rig.clock.now() + redispatchAfterMs) }]);
  });

  it('is made ready by one of two acquirers that come at once', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    await rig.clock.advance(HOUR);
    const [row] = await rig.rows('timers');
    const first = { timer: decodeJob(row ?? {}), key: keyOf(TABLE_SPECS.timers, row ?? {}) };
    const run = { stopAt: rig.clock.now() + MINUTE, dueThrough: rig.clock.now() };
    const others: unknown[] = [];
    beforeTransaction(rig, async () => others.push(...(await fireChain(rig.deps, first, run))));
    expect(await fireChain(rig.deps, first, run)).toEqual([]);
    expect(others).toHaveLength(1);
  });
});

describe('occurrences that are fired ahead in one run', () => {
  it('are sent although the store fails at a later one, and the failure is journalled', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule(MINUTES));
    const transact = rig.tables.transact.bind(rig.tables);
    let count = 0;
    rig.tables.transact = async (...args) => {
      if (++count > 2) throw new StoreUnavailableError('test', new Error('throttled'));
      return transact(...args);
    };
    expect(await rig.fire()).toMatchObject({ fired: 2, failed: 0 });
    expect(rig.hints.nextVisibleAt()).toBeDefined();
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'schedule#nightly' }));
  });

  it('make their shard count as failed when the store fails at the very first', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule(MINUTES));
    rig.tables.transact = async () => {
      throw new StoreUnavailableError('test', new Error('throttled'));
    };
    expect(await rig.fire()).toMatchObject({ fired: 0, failed: 1 });
  });

  it('end with the time of the run', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule(MINUTES));
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = async (...args) => {
      const outcome = await transact(...args);
      await rig.clock.advance(30_000);
      return outcome;
    };
    expect((await rig.fire()).fired).toBe(2);
  });

  it('are no more than a pause can take back in one transaction, however often the acquirer runs', async () => {
    const rig = scheduled(undefined, { settings: { horizonMs: 5 * MINUTE } });
    await rig.admin.schedules.put(schedule({ every: 'PT1S', missed: 'all' }));
    for (let run = 0; run < 3; run++) {
      await rig.fire();
      expect(await rig.counts()).toMatchObject({ jobs: MAX_AHEAD });
    }
    await rig.admin.schedules.pause('nightly');
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });
});
