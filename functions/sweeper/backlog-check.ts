import type { LeasedJob } from '../../shared/core/job.ts';
import { queueOfJob } from '../../shared/core/queue-of.ts';
import type { SweeperDeps } from './deps.ts';

/** Tells whether the messages that wait in a job's queue explain why the job waits. One request per queue and run. */
export interface BacklogCheck {
  explains(job: LeasedJob, now: number): Promise<boolean>;
}

/**
 * As many waiting jobs as there are visible messages may have theirs among them; the others' hints are lost. Beyond
 * `backlogPatienceMs` after the lease ran out no backlog explains anything, so that a busy queue cannot hide a lost send for ever.
 */
export function backlogCheck(deps: SweeperDeps): BacklogCheck {
  const seen = new Map<string, { visible: Promise<number | undefined>; waiting: number }>();
  return {
    async explains(job, now) {
      if (now - job.lockExpiresAt > deps.deployment.settings.backlogPatienceMs) return false;
      const queue = queueOfJob(job, deps.deployment.workers.get(job.worker));
      const name = `${queue.worker}/${queue.lane}/${queue.kind}`;
      const entry = seen.get(name) ?? { visible: deps.backlog.visible(queue), waiting: 0 };
      seen.set(name, entry);
      entry.waiting++;
      const rank = entry.waiting;
      const visible = await entry.visible;
      return visible !== undefined && visible >= rank;
    },
  };
}
