import type { LeasedJob } from '../../shared/job/job.ts';
import { isQueueOwner, ranAlone } from '../../shared/job/lock-owner.ts';
import { byPresentName } from '../../shared/job/worker-names.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { buryInErrorGroup, quarantineInGroup } from '../../shared/store/burials.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { reset } from '../../shared/store/reset.ts';
import { type BacklogCheck, queueNameOf } from './backlog-check.ts';
import { isOnlyCounted, judge } from './judge.ts';
import type { SweeperDeps } from './deps.ts';
import type { InQueue } from './waiting-jobs.ts';

/** The result for one row. */
export type Swept = 'left' | 'explained' | 'reset' | 'buried' | 'cancelled' | 'quarantined' | 'lost';

/** A row and how long its job has been waiting to start; 0 if it is not waiting, or is only counted. */
export interface SweptRow {
  readonly swept: Swept;
  readonly waitingMs: number;
  /** Set for a ready job. */
  readonly inQueue?: InQueue;
  /** A job that was reset and whose hint must be sent. */
  readonly ready?: LeasedJob;
}

/** Settles one row. `lost` means that another process settled it first. */
export async function sweepRow(deps: SweeperDeps, backlog: BacklogCheck, row: Row): Promise<SweptRow> {
  const now = deps.clock.now();
  let job: LeasedJob;
  try {
    job = byPresentName(deps.deployment.workers, decodeLeasedJob(row));
  } catch (error) {
    return { swept: (await quarantineInGroup(deps, { table: 'jobs', row, error })) ? 'quarantined' : 'lost', waitingMs: 0 };
  }
  const settled = await settle(deps, backlog, job);
  const found = isQueueOwner(job.lockOwner)
    ? { waitingMs: waitingMs(deps, job, now), inQueue: { queue: queueNameOf(deps, job), type: job.type, ranOutAt: job.lockExpiresAt } }
    : { waitingMs: 0 };
  return typeof settled === 'string' ? { swept: settled, ...found } : { swept: 'reset', ...found, ready: settled };
}

const waitingMs = ({ deployment }: SweeperDeps, job: LeasedJob, now: number): number =>
  isOnlyCounted(job, deployment.settings.sweepSkewMs, now) ? 0 : Math.max(0, now - job.dueAt);

async function settle(deps: SweeperDeps, backlog: BacklogCheck, job: LeasedJob): Promise<Exclude<Swept, 'reset'> | LeasedJob> {
  const now = deps.clock.now();
  const { crashLimit, sweepSkewMs } = deps.deployment.settings;
  const judgement = judge(job, { crashLimit, skewMs: sweepSkewMs }, now);
  if (judgement.verb === 'leave') return 'left';
  if (judgement.verb === 'redispatch') return (await backlog.explains(job, now)) ? 'explained' : backToQueue(deps, job, job.crashes);
  const { decision } = judgement;
  if (decision.verb === 'cancel')
    return (await endAsCancelled(deps.tables, job, 'sweeper', cancelTerms(deps))) ? cancelled(deps, job) : 'lost';
  if (ranAlone(job.lockOwner)) deps.journal.record({ event: 'crashed', worker: job.worker, job: jobRef(job) });
  if (decision.verb === 'run-again') return backToQueue(deps, job, decision.crashes);
  const { reason, error, crashes } = decision;
  const buried = await buryInErrorGroup(deps, job, { reason, error, counters: { crashes } });
  if (buried.result !== 'dead') return 'lost';
  deps.journal.record({ event: 'dead-lettered', worker: job.worker, job: jobRef(job), reason, error });
  return 'buried';
}

async function backToQueue(deps: SweeperDeps, job: LeasedJob, crashes: number): Promise<'lost' | LeasedJob> {
  const { redispatchAfterMs } = deps.deployment.settings;
  const terms = { token: deps.entropy.token(), now: deps.clock.now(), redispatchAfterMs, crashes };
  const result = await reset(deps.tables, job, terms);
  if (result.result === 'lost') return 'lost';
  deps.journal.record({ event: 'reset', worker: job.worker, job: jobRef(job) });
  return result.job;
}

function cancelled(deps: SweeperDeps, job: LeasedJob): 'cancelled' {
  deps.journal.record({ event: 'cancelled', worker: job.worker, job: jobRef(job) });
  return 'cancelled';
}
