import { lockGroup } from '../../shared/core/hint.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import { laneInUse } from '../../shared/core/lanes.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';
import type { SweeperParts } from './parts.ts';

/** Tells whether the messages that wait in a job's queue explain why the job waits. One request per queue and run. */
export interface BacklogCheck {
  explains(job: LeasedJob, now: number): Promise<boolean>;
}

/**
 * As many waiting jobs as there are visible messages may have theirs among them; the others' hints are lost. Beyond
 * `backlogPatienceMs` after the lease ran out no backlog explains anything, so that a busy queue cannot hide a lost send for ever.
 */
export function backlogCheck(parts: SweeperParts): BacklogCheck {
  const seen = new Map<string, { visible: Promise<number | undefined>; waiting: number }>();
  return {
    async explains(job, now) {
      if (now - job.lockExpiresAt > parts.deployment.settings.backlogPatienceMs) return false;
      const queue = queueOf(parts, job);
      const name = `${queue.worker}/${queue.lane}/${queue.kind}`;
      const entry = seen.get(name) ?? { visible: parts.backlog.visible(queue), waiting: 0 };
      seen.set(name, entry);
      entry.waiting++;
      const rank = entry.waiting;
      const visible = await entry.visible;
      return visible !== undefined && visible >= rank;
    },
  };
}

/** Where the hint of a job goes, or would go again: not to a lane that a deployment took away, nor to FIFO for a group that is only a label. */
function queueOf(parts: SweeperParts, job: LeasedJob): QueueRef {
  const queues = parts.deployment.workers.get(job.worker);
  const fifo = lockGroup(job) !== undefined && queues?.fifo !== undefined;
  const lane = queues === undefined ? job.lane : laneInUse(job.lane, job.priority, queues);
  return { worker: job.worker, lane, kind: fifo ? 'fifo' : 'standard' };
}
