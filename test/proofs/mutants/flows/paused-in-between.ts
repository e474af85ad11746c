import { repairSchedules } from '../../../../functions/sweeper/duties/repair-schedules.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineSchedule } from '../../../../shared/features/schedules/model/definition.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { anyPayload } from '../../../support/rig.ts';
import type { Break } from './break.ts';

const MINUTE = 60_000;
const report = defineJob('report', { payload: anyPayload });

/** The timer of a schedule was lost. The sweeper has looked, and a pause comes before it writes. */
export async function pausedWhileMended(): Promise<readonly Break[]> {
  const rig = faultyRig({ handlers: [report.handle(() => undefined)] });
  const { schedules } = createAdminOver(rig.deps);
  await schedules.put(defineSchedule('hourly', { job: report, payload: {}, every: 'PT1H' }));
  for (const { shard, due } of await rig.rows('timers'))
    await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(shard), due: String(due) } });
  await rig.clock.advance(59 * MINUTE);
  rig.faults.before(
    (writes) => writes.some(({ op, table }) => op === 'put' && table === 'timers'),
    () => schedules.pause('hourly'),
  );
  await repairSchedules({ ...rig.deps, backlog: rig.hints }, rig.clock.now() + MINUTE);
  const waiting = await rig.rows('timers');
  return waiting.map(({ id }) => ({ rule: 'paused-starts-nothing', what: `${String(id)} waits for a schedule that is paused` }));
}

/** An occurrence was fired ahead. A pause has looked, and it starts before the pause writes. */
export async function startedWhilePaused(): Promise<readonly Break[]> {
  const rig = faultyRig({ handlers: [report.handle(() => undefined)] });
  const { schedules } = createAdminOver(rig.deps);
  await schedules.put(defineSchedule('often', { job: report, payload: {}, every: 'PT2M' }));
  await rig.fire();
  const [ahead] = await rig.rows('jobs');
  const key = { id: String(ahead?.['id']) };
  rig.faults.before(
    (writes) => writes.some(({ op, table }) => op === 'delete' && table === 'jobs'),
    () => rig.tables.write({ op: 'update', table: 'jobs', key, set: { lockOwner: 'run/another' }, add: { rev: 1 } }),
  );
  await schedules.pause('often');
  const kept = await rig.tables.get('jobs', key);
  return kept === undefined ? [{ rule: 'nothing-lost', what: `${key.id} runs, and the pause deleted it` }] : [];
}

/** The next occurrence is cancelled without History, and the schedule is paused and resumed. */
export async function cancelledOccurrence(): Promise<readonly Break[]> {
  const rig = faultyRig({ handlers: [report.handle(() => undefined)], history: 'off' });
  const { schedules } = createAdminOver(rig.deps);
  const { next } = await schedules.put(defineSchedule('hourly', { job: report, payload: {}, every: 'PT1H' }));
  await rig.client.cancel(next?.id ?? '');
  await schedules.pause('hourly');
  await schedules.resume('hourly');
  const again = (await rig.rows('timers')).filter(({ id }) => id === next?.id);
  return again.map(({ id }) => ({ rule: 'cancel-wins', what: `${String(id)} was cancelled and waits again` }));
}
