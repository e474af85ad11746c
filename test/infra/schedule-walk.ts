import { syncSchedules } from '../../functions/acquirer/sync-schedules.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { scheduleKey } from '../../shared/features/schedules/store/schedule-rows.ts';
import { anyPayload, type Rig } from '../support/rig.ts';

const MINUTE = 60_000;

/** A place where each function calls the tables under its own role. */
export interface ScheduleStage {
  readonly rig: Rig;
  readonly acquirerTables: Tables;
  readonly drain: () => Promise<void>;
  readonly sweep: () => Promise<unknown>;
  readonly fire: () => Promise<unknown>;
}

/** Everything that recurring schedules make the functions do: the code's and an operator's, overlaps, a pause, a deletion, losses. */
export async function walkSchedules({ rig, acquirerTables, drain, sweep, fire }: ScheduleStage): Promise<void> {
  const admin = createAdminOver(rig.deps);
  const schedule = (name: string, every: string) =>
    defineSchedule(name, { job: defineJob('work', { payload: anyPayload }), payload: {}, every, overlap: 'skip' });
  const pass = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute++) {
      await fire();
      await rig.clock.advance(MINUTE);
      await drain();
    }
  };
  const sync = async (names: readonly string[]): Promise<unknown> =>
    syncSchedules(
      { ...rig.deps, tables: acquirerTables },
      names.map((name) => schedule(name, 'PT2M')),
    );
  await sync(['kept', 'gone']);
  await pass(5);
  await admin.schedules.pause('kept');
  await sync(['kept']);
  await pass(5);
  await admin.schedules.resume('kept');
  // A row that was removed by hand leaves its timer behind.
  await rig.tables.write({ op: 'delete', table: 'control', key: scheduleKey('kept') });
  await pass(5);
  await admin.schedules.put(schedule('unreadable', 'PT1H'));
  const [row] = await rig.rows('timers').then((rows) => rows.filter((one) => one['schedule'] === 'unreadable'));
  await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, starts: 'many' } });
  await rig.clock.advance(60 * MINUTE);
  await fire();
  const [next] = await rig.rows('timers').then((rows) => rows.filter((one) => one['schedule'] === 'unreadable'));
  if (next === undefined) throw new Error('The schedule came to its end: the walk has a gap.');
  await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(next['shard']), due: String(next['due']) } });
  await rig.clock.advance(60 * MINUTE);
  await sweep();
  await admin.schedules.delete('unreadable');
}
