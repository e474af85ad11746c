import { lockGroup } from './hint.ts';
import type { Job } from './job.ts';
import { laneInUse, type WorkerLanes } from './lanes.ts';

/** The queue to which the hint of a job that is due goes. */
export interface JobQueue {
  readonly worker: string;
  readonly lane: string;
  readonly kind: 'standard' | 'fifo';
}

/** Where the hint of a job goes, or would go again: not to a lane that a deployment took away, nor to FIFO for a group that is only a label. */
export function queueOfJob(
  job: Pick<Job, 'worker' | 'lane' | 'priority' | 'group' | 'exclusive'>,
  queues: (WorkerLanes & { readonly fifo?: string }) | undefined,
): JobQueue {
  const fifo = lockGroup(job) !== undefined && queues?.fifo !== undefined;
  const lane = queues === undefined ? job.lane : laneInUse(job.lane, job.priority, queues);
  return { worker: job.worker, lane, kind: fifo ? 'fifo' : 'standard' };
}
