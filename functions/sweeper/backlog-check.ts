import { EXPLAINED_PATIENCES } from '../../shared/job/lease.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { queueOfJob } from '../../shared/job/queue-of.ts';
import type { SweeperDeps } from './deps.ts';
import { ageClass, newerThan, type WaitingJobs } from './waiting-jobs.ts';

/** Decides whether the backlog of a job's queue explains why the job waits. One request per queue and run. */
export interface BacklogCheck {
  explains(job: LeasedJob, now: number): Promise<boolean>;
}

/**
 * At most as many waiting jobs as there are visible messages can still have a message; the hints of the others are lost. Messages wait about as
 * long as each other, so once `backlogPatienceMs` has passed since a lease expired, messages that belong to newer jobs explain nothing.
 * `passes` is what the last pass saw of each segment. See docs/decisions/0008-when-a-backlog-explains-a-wait.md.
 */
export function backlogCheck(deps: SweeperDeps, passes: readonly WaitingJobs[]): BacklogCheck {
  const { backlogPatienceMs } = deps.deployment.settings;
  const seen = new Map<string, { visible: Promise<number | undefined>; readonly ranks: number[] }>();
  return {
    async explains(job, now) {
      const waited = now - job.lockExpiresAt;
      if (waited > EXPLAINED_PATIENCES * backlogPatienceMs) return false;
      const name = queueNameOf(deps, job);
      const entry = seen.get(name) ?? { visible: deps.backlog.visible(queueRefOf(deps, job)), ranks: [] };
      seen.set(name, entry);
      const age = ageClass(job.lockExpiresAt, now, backlogPatienceMs);
      const rank = (entry.ranks[age] ?? 0) + 1;
      entry.ranks[age] = rank;
      const newer = age === 0 ? 0 : newerThan(passes, name, job.lockExpiresAt, backlogPatienceMs);
      const visible = await entry.visible;
      return visible !== undefined && visible >= newer + rank;
    },
  };
}

type Queues = Pick<SweeperDeps, 'deployment'>;

const queueRefOf = ({ deployment }: Queues, job: LeasedJob) => queueOfJob(job, deployment.workers.get(job.worker));

/** The queue that a job waits in, as `worker/lane/kind`. */
export function queueNameOf(deps: Queues, job: LeasedJob): string {
  const { worker, lane, kind } = queueRefOf(deps, job);
  return `${worker}/${lane}/${kind}`;
}
