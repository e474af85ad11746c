import { isScheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { isUntold } from './batch-invariants.ts';
import type { World } from '../world/world.ts';

/**
 * Whether nothing is left to be done: no row that waits or runs, no message, and no schedule that still waits for an occurrence, or
 * that somebody who came late has paused and will resume.
 */
export function isQuiet({ store, queues }: World): boolean {
  return (
    (['jobs', 'timers', 'suspended'] as const).every((table) => store.tables.rows(table).length === 0) &&
    queues.nextVisibleAt() === undefined &&
    !isUntold(store) &&
    !isScheduleStranded(store) &&
    !store.tables.rows('control').some((row) => isScheduleRow(row) && row['pausedAt'] !== undefined)
  );
}

/** Whether a schedule waits for an occurrence while Timers holds none at all: it was quarantined, and the sweeper has yet to go on. */
export function isScheduleStranded({ tables }: World['store']): boolean {
  return tables.rows('timers').length === 0 && tables.rows('control').some((row) => isScheduleRow(row) && row['nextId'] !== undefined);
}

/** What must be true when the faults have stopped and everything had time to come to its end. */
export function checkEnd({ checks, store, queues, time, deployment }: World): void {
  const { violations, tracker, accepted } = checks;
  checks.rules.checkEnd(store.tables.rows('suspended'));
  for (const id of accepted) {
    const state = tracker.jobs.get(id)?.state ?? 'none';
    if (state !== 'finished' && state !== 'dead') violations.add('nothing-lost', `${id} was accepted and is ${state} in the end`);
  }
  for (const table of ['jobs', 'timers', 'suspended'] as const) {
    for (const row of store.tables.rows(table)) violations.add('nothing-left', `${String(row['id'])} lies in ${table} in the end`);
  }
  for (const row of store.tables.rows('control')) {
    const pk = String(row['pk']);
    // A process that ends itself because of a handler that may still run leaves its lock, which runs out with its lease.
    const isLeft = checks.leases.groups.get(pk)?.by.alive === false;
    if (pk.startsWith('group#') && !isLeft && Date.parse(String(row['lockExpiresAt'])) > time.now)
      violations.add('nothing-left', `${pk} is still locked`);
    if (pk.startsWith('places#') && row['sk'] !== 'holder' && tracker.jobs.get(String(row['jobId']))?.state === 'finished')
      violations.add('nothing-left', `the place of ${String(row['jobId'])} in its group outlived it`);
    if (pk.startsWith('key#') && row['until'] === undefined)
      violations.add('nothing-left', `${pk} outlived its job ${String(row['jobId'])}`);
  }
  const dead = new Set(store.tables.rows('deadLetters').map((row) => row['id']));
  for (const { id, state } of tracker.jobs.values()) {
    if (state === 'dead' && !dead.has(id)) violations.add('nothing-lost', `${id} is dead, but there is no dead letter`);
  }
  checks.schedules.checkEnd(store);
  checks.batches.checkEnd(store);
  checks.told.checkEnd();
  checks.history.checkEnd(deployment.history === 'durable');
  const next = queues.nextVisibleAt();
  if (next !== undefined) violations.add('nothing-left', `a message waits until ${new Date(next).toISOString()}`);
}
