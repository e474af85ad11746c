import type { JobState } from '../../../../shared/job/job.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { isGuarded } from '../workload/work-item-jobs.ts';

/** Whether an executor cancels the job for another one: an occurrence for the one that comes, unless an operator suspended it, or a sibling of a completion. */
export function endsForAnother(by: SimProcess, from: JobState | 'none', row: Row | undefined): boolean {
  if (by.role !== 'executor' || from === 'running') return false;
  return isGuarded(row) || (row?.['schedule'] !== undefined && from !== 'suspended');
}

/**
 * An executor asks the earlier occurrence of a schedule, or a sibling of its completion, to stop, which another one runs and renews. It may ask again after a
 * lost reply.
 */
export function asksToStop(by: SimProcess, before: Row | undefined, after: Row | undefined): boolean {
  if (after?.['cancelRequested'] !== true || by.role === 'admin') return after?.['cancelRequested'] === true;
  const isAnothers = before?.['schedule'] !== undefined || isGuarded(before);
  return isAnothers && ['lockOwner', 'lockExpiresAt', 'progress'].every((name) => before?.[name] === after[name]);
}
