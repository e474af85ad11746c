import { describe, expect, it } from 'vitest';
import { repairSchedules } from '../../../../functions/sweeper/duties/repair-schedules.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { outcomeUnknown } from '../../../../shared/job/store-failures.ts';
import type { ScheduleAdmin } from '../../../../shared/features/schedules/admin/schedules.ts';
import type { Tables, Write } from '../../../../shared/ports/tables.ts';
import { quarantineInGroup } from '../../../../shared/store/burials.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const EVERY_MINUTE = { cron: '* * * * *', missed: 'all' } as const;
const minutes = (...at: readonly number[]) => at.map((minute) => `2026-03-01T00:0${minute}:00`);

/** Another actor acts between the looks of the first transaction that `aim` means and its writes. */
function interrupted(tables: Tables, aim: (writes: readonly Write[]) => boolean, act: () => Promise<unknown>): Tables {
  let isOver = false;
  return {
    ...tables,
    transact: async (writes, token, terms) => {
      if (!isOver && aim(writes)) {
        isOver = true;
        await act();
      }
      return tables.transact(writes, token, terms);
    },
  };
}

const schedulesOver = (rig: ScheduledRig, tables: Tables): ScheduleAdmin => createAdminOver({ ...rig.deps, tables }).schedules;

/** Ids of what lies ready, in the order of their times. */
async function readyIds(rig: ScheduledRig): Promise<readonly string[]> {
  const rows = await rig.rows('jobs');
  return rows.toSorted((one, other) => (String(one['dueAt']) < String(other['dueAt']) ? -1 : 1)).map((row) => String(row['id']));
}

/** A schedule of every minute of which the occurrences through 00:05 are fired ahead. */
async function firedAhead(options: Parameters<typeof scheduled>[1] = {}): Promise<ScheduledRig> {
  const rig = scheduled(undefined, { settings: { horizonMs: 5 * MINUTE }, ...options });
  await rig.admin.schedules.put(schedule(EVERY_MINUTE));
  await rig.tick();
  expect(await readyIds(rig)).toHaveLength(5);
  return rig;
}

describe('a pause and a resumption', () => {
  const acts: Readonly<Record<string, (rig: ScheduledRig, id: string) => Promise<unknown>>> = {
    'was cancelled': async (rig, id) => rig.client.cancel(id),
    'an operator stopped': async (rig, id) => rig.admin.breakpoint(id, { reason: 'look first' }),
    'an operator ran before its time': async (rig, id) => {
      await rig.admin.runNow(id);
      await rig.drain();
    },
    'was given another time': async (rig, id) => rig.admin.setDueDate(id, { delay: 'PT1H' }),
  };
  for (const [what, act] of Object.entries(acts)) {
    it(`lose none of the occurrences that were fired ahead, but for the one that ${what}`, async () => {
      const rig = await firedAhead();
      const [, , third = ''] = await readyIds(rig);
      await act(rig, third);
      rig.ran.length = 0;
      await rig.admin.schedules.pause('nightly');
      await rig.admin.schedules.resume('nightly');
      await rig.pass(8 * MINUTE);
      expect(rig.ran).toEqual(minutes(1, 2, 4, 5, 6, 7, 8));
      expect(await rig.admin.schedules.get('nightly')).toMatchObject({ missed: 0, skipped: 0 });
    });
  }

  it('that come twice lose none either', async () => {
    const rig = await firedAhead();
    const [, second = '', , fourth = ''] = await readyIds(rig);
    await rig.client.cancel(second);
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    await rig.tick();
    await rig.client.cancel(fourth);
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    await rig.pass(6 * MINUTE);
    expect(rig.ran).toEqual(minutes(1, 3, 5, 6));
  });

  it('do not plan again what was set aside while it was the next one', async () => {
    const rig = await firedAhead();
    const [waiting] = await rig.rows('timers');
    await quarantineInGroup(rig.deps, { table: 'timers', row: { ...waiting }, error: new Error('unreadable') });
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    await rig.pass(8 * MINUTE);
    expect(rig.ran).toEqual(minutes(1, 2, 3, 4, 5, 7, 8));
  });

  it('do not take back an occurrence that started after the pause had looked, and do not run it again', async () => {
    const rig = await firedAhead();
    const [, , third = ''] = await readyIds(rig);
    const tables = interrupted(
      rig.tables,
      (writes) => writes.some(({ op, table }) => op === 'delete' && table === 'jobs'),
      async () => {
        await rig.admin.runNow(third);
        const now = new Date(rig.clock.now() + MINUTE).toISOString();
        const set = { lockOwner: 'request-9/abc', lockExpiresAt: now };
        await rig.tables.write({ op: 'update', table: 'jobs', key: { id: third }, set, add: { rev: 1 } });
      },
    );
    expect(await schedulesOver(rig, tables).pause('nightly')).toBe(true);
    expect(await readyIds(rig)).toEqual([third]);
    await rig.tables.write({ op: 'delete', table: 'jobs', key: { id: third } });
    await rig.admin.schedules.resume('nightly');
    await rig.pass(6 * MINUTE);
    expect(rig.ran).toEqual(minutes(1, 2, 4, 5, 6));
  });

  it('give each occurrence that comes again higher counts than it had', async () => {
    const rig = await firedAhead();
    const [first = ''] = await readyIds(rig);
    for (const priority of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) await rig.admin.setPriority(first, priority);
    const before = await rig.tables.get('jobs', { id: first });
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    await rig.tick();
    const after = await rig.tables.get('jobs', { id: first });
    expect(Number(after?.['rev'])).toBeGreaterThan(Number(before?.['rev']));
    expect(Number(after?.['dispatches'])).toBeGreaterThan(Number(before?.['dispatches']));
  });
});

describe('a cancel of the next occurrence', () => {
  it('that meets a change of its schedule looks again, and is kept', async () => {
    const rig = scheduled();
    const { next } = await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const isCancel = (writes: readonly Write[]) => writes.some(({ op, table }) => op === 'update' && table === 'control');
    const tables = interrupted(rig.tables, isCancel, async () => rig.admin.schedules.put(schedule({ cron: '0 * * * *', priority: 1 })));
    const over = createAdminOver({ ...rig.deps, tables });
    expect(await over.cancelWhere({ type: 'report' })).toMatchObject({ cancelled: 1 });
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    expect((await rig.rows('timers')).map(({ id }) => id)).not.toContain(next?.id);
  });

  it('that comes while a change of its schedule is under way is seen by it', async () => {
    const rig = scheduled();
    const { next } = await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const tables = interrupted(
      rig.tables,
      () => true,
      async () => rig.client.cancel(next?.id ?? ''),
    );
    await schedulesOver(rig, tables).put(schedule({ cron: '0 * * * *', priority: 1 }));
    expect(await rig.rows('timers')).toEqual([]);
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });
});

describe('what an operator tells the next occurrence', () => {
  async function told(): Promise<{ readonly rig: ScheduledRig; readonly id: string }> {
    const rig = scheduled();
    const { next } = await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const id = next?.id ?? '';
    expect(await rig.admin.setRetries(id, 9)).toBe('set');
    expect(await rig.admin.setPriority(id, 7)).toBe('set');
    expect(await rig.admin.editPayload(id, { told: true })).toBe('edited');
    return { rig, id };
  }

  it('stays when the same definition is put again', async () => {
    const { rig } = await told();
    const [before] = await rig.rows('timers');
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    expect(await rig.rows('timers')).toEqual([before]);
    expect(before).toMatchObject({ triesLimit: 9, priority: 7, payload: '{"told":true}' });
  });

  it('gives way to another definition, on a row of a higher revision', async () => {
    const { rig, id } = await told();
    const [before] = await rig.rows('timers');
    await rig.admin.schedules.put({ ...schedule({ cron: '0 * * * *' }), payload: '{"other":true}' });
    const [after] = await rig.rows('timers');
    expect(after).toMatchObject({ id, payload: '{"other":true}' });
    expect(Number(after?.['rev'])).toBeGreaterThan(Number(before?.['rev']));
    expect(Number(after?.['dispatches'])).toBeGreaterThanOrEqual(Number(before?.['dispatches']));
  });
});

describe('a schedule that is deleted and put again', () => {
  it('goes on counting, so that a delete of the first that arrives late does not meet the second', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    let late: readonly Write[] = [];
    const noted: Tables = { ...rig.tables, transact: async (writes, token) => rig.tables.transact((late = writes), token) };
    await schedulesOver(rig, noted).delete('nightly');
    await rig.admin.schedules.put(schedule({ cron: '30 * * * *' }));
    const { next } = (await rig.admin.schedules.get('nightly')) ?? {};
    expect(await rig.tables.transact(late, 'the-token-has-expired')).toMatchObject({ applied: false });
    expect((await rig.rows('timers')).map(({ id }) => id)).toEqual([next?.id]);
  });

  /** Tables whose first transaction is applied and whose caller then sleeps, until after the store has forgotten it; `act` is what others do. */
  function asleep(rig: ScheduledRig, act: () => Promise<unknown>): Tables {
    let isOver = false;
    return {
      ...rig.tables,
      transact: async (writes, token, terms) => {
        if (isOver) return rig.tables.transact(writes, token, terms);
        isOver = true;
        await rig.tables.transact(writes, token, terms);
        await act();
        await rig.clock.advance(11 * MINUTE);
        // The adapters repeat no token that the store may have forgotten.
        throw outcomeUnknown('transact', new Error('the reply was lost'));
      },
    };
  }

  it('is not deleted by the operator who deleted the first and slept', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const tables = asleep(rig, async () => rig.admin.schedules.put(schedule({ cron: '30 * * * *' })));
    await expect(schedulesOver(rig, tables).delete('nightly')).rejects.toThrow(StoreUnavailableError);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ definition: { recurrence: { cron: '30 * * * *' } } });
  });

  it('and any other is not written over by an operator whose put was applied before he slept', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const tables = asleep(rig, async () => rig.admin.schedules.put(schedule({ cron: '30 * * * *' })));
    await expect(schedulesOver(rig, tables).put(schedule({ cron: '15 * * * *' }))).rejects.toThrow(StoreUnavailableError);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ definition: { recurrence: { cron: '30 * * * *' } } });
  });

  it('is not taken over by a put that looked before both', async () => {
    const rig = scheduled();
    const isPut = (writes: readonly Write[]) => writes.length > 0;
    const tables = interrupted(rig.tables, isPut, async () => {
      await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
      await rig.admin.schedules.put(schedule({ cron: '10 * * * *' }));
      await rig.admin.schedules.delete('nightly');
    });
    await schedulesOver(rig, tables).put(schedule({ cron: '30 * * * *' }));
    const rows = (await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('schedule#'));
    expect(Number(rows[0]?.['rev'])).toBeGreaterThan(2);
  });
});

describe('a schedule that is paused while the sweeper looks at it', () => {
  for (const lost of ['lost', 'set aside'] as const) {
    it(`gets no timer again for its next occurrence, which was ${lost}`, async () => {
      const rig = scheduled();
      await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
      const [row] = await rig.rows('timers');
      const key = { shard: String(row?.['shard']), due: String(row?.['due']) };
      if (lost === 'lost') await rig.tables.write({ op: 'delete', table: 'timers', key });
      else await quarantineInGroup(rig.deps, { table: 'timers', row: { ...row }, error: new Error('unreadable') });
      await rig.clock.advance(59 * MINUTE);
      const tables = interrupted(
        rig.tables,
        () => true,
        async () => rig.admin.schedules.pause('nightly'),
      );
      await repairSchedules({ ...rig.deps, backlog: rig.hints, tables }, rig.clock.now() + MINUTE);
      expect(await rig.rows('timers')).toEqual([]);
      expect(await rig.admin.schedules.get('nightly')).toHaveProperty('paused');
    });
  }
});
