import { lockGroup } from '../job/hint.ts';
import type { Job, LeasedJob } from '../job/job.ts';
import { laneOfJob, type WorkerLanes } from '../job/lanes.ts';
import type { LeftAlone, PlannedChange } from './change-located.ts';
import type { Living, Located } from './locate.ts';
import { asFound, idleJob, readyWrites } from './moved-writes.ts';
import type { ResumeTerms } from './ready-row.ts';
import { jobRow, suspendedRow, timerRow } from './rows.ts';

/** Answer of `setPriority`; `job` needs a hint, because it waits in another queue now. */
export type PrioritySet = { readonly outcome: 'set'; readonly job?: LeasedJob } | { readonly outcome: LeftAlone };

/**
 * Gives a job that does not run another priority, wherever it waits. A ready one is dispatched anew, in its new lane; a grouped one
 * keeps its place in its group's queue.
 */
export function planPriority(
  found: Located,
  { priority, lanes }: { readonly priority: number; readonly lanes: (worker: string) => WorkerLanes | undefined },
  terms: ResumeTerms,
): PlannedChange<PrioritySet> {
  const { state } = found;
  if (state === 'running' || state === 'dead' || state === 'finished') return { writes: [], answer: { outcome: state } };
  const { job } = found;
  const lane = laneOfJob({ kind: job.kind, priority }, lanes(job.worker));
  const change = { priority, priorityFrom: 'set', lane, rev: job.rev + 1 } as const;
  if (state === 'ready' && lockGroup(job) === undefined) {
    const { writes, ready } = readyWrites(found, { ...idleJob(found), ...change, rev: job.rev }, terms);
    return { writes, answer: { outcome: 'set', job: ready } };
  }
  const put = { op: 'put', ...inPlace(found, change) } as const;
  return { writes: [put], answer: { outcome: 'set' } };
}

function inPlace(found: Living, change: Pick<Job, 'priority' | 'lane' | 'rev'> & { readonly priorityFrom: 'set' }) {
  const condition = asFound(found);
  // Its message is in the queue of its lane, and stays there.
  if (found.table === 'jobs') return { table: 'jobs', row: jobRow({ ...found.job, ...change, lane: found.job.lane }), condition } as const;
  if (found.state === 'suspended') return { table: 'suspended', row: suspendedRow({ ...found.job, ...change }), condition } as const;
  // A timer whose due time was edited by hand keeps its key.
  return { table: 'timers', row: { ...timerRow({ ...found.job, ...change }), ...found.key }, condition } as const;
}
