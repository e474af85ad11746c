import { lockGroup } from '../job/hint.ts';
import type { Job, LeasedJob } from '../job/job.ts';
import { laneOfJob, type WorkerLanes } from '../job/lanes.ts';
import type { ResumeTerms } from './resume.ts';
import type { PlannedChange } from './change-located.ts';
import { all, notRunning, revIs } from './conditions.ts';
import { unstarted } from './job-codec.ts';
import type { Located } from './locate.ts';
import { jobRow, suspendedRow, timerRow } from './rows.ts';
import type { LeftAlone } from './change-located.ts';
import { dispatchedAgain } from './run-now.ts';

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
    const again = dispatchedAgain(found.job, { ...unstarted(found.job), ...change, rev: job.rev }, terms);
    return { writes: [again.write], answer: { outcome: 'set', job: again.job } };
  }
  const put = { op: 'put', ...inPlace(found, change) } as const;
  return { writes: [put], answer: { outcome: 'set' } };
}

function inPlace(found: Located, change: Pick<Job, 'priority' | 'lane' | 'rev'> & { readonly priorityFrom: 'set' }) {
  const condition = revIs((found.job as Job).rev);
  // Its message is in the queue of its lane, and stays there.
  if (found.state === 'ready')
    return {
      table: 'jobs',
      row: jobRow({ ...found.job, ...change, lane: found.job.lane }),
      condition: all(notRunning, condition),
    } as const;
  if (found.state === 'suspended') return { table: 'suspended', row: suspendedRow({ ...found.job, ...change }), condition } as const;
  // A timer whose due time was edited by hand keeps its key.
  return { table: 'timers', row: { ...timerRow({ ...(found.job as Job), ...change }), ...found.key }, condition } as const;
}
