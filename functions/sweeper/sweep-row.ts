import type { LeasedJob } from '../../shared/core/job.ts';
import { isQueueOwner, ranAlone } from '../../shared/core/lock-owner.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { buryInGroup } from '../../shared/features/error-groups/store/bury-in-group.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { reset } from '../../shared/store/reset.ts';
import { quarantineInGroup } from '../../shared/features/error-groups/store/quarantine-in-group.ts';
import type { BacklogCheck } from './backlog-check.ts';
import { judge } from './judge.ts';
import type { SweeperParts } from './parts.ts';

/** What became of a row. */
export type Swept = 'left' | 'explained' | 'reset' | 'buried' | 'cancelled' | 'quarantined' | 'lost';

/** A row and how long its job has been waiting to start, 0 for one that does not wait. */
export interface SweptRow {
  readonly swept: Swept;
  readonly waitingMs: number;
  /** A job that was reset: its hint is still to be sent. */
  readonly ready?: LeasedJob;
}

/** Settles one row that the scan found. A lost race means that somebody else settled it. */
export async function sweepRow(parts: SweeperParts, backlog: BacklogCheck, row: Row): Promise<SweptRow> {
  const now = parts.clock.now();
  let job: LeasedJob;
  try {
    job = decodeLeasedJob(row);
  } catch (error) {
    return { swept: (await quarantineInGroup(parts, { table: 'jobs', row, error })) ? 'quarantined' : 'lost', waitingMs: 0 };
  }
  const waitingMs = isQueueOwner(job.lockOwner) ? Math.max(0, now - job.dueAt) : 0;
  const settled = await settle(parts, backlog, job);
  return typeof settled === 'string' ? { swept: settled, waitingMs } : { swept: 'reset', waitingMs, ready: settled };
}

async function settle(parts: SweeperParts, backlog: BacklogCheck, job: LeasedJob): Promise<Exclude<Swept, 'reset'> | LeasedJob> {
  const now = parts.clock.now();
  const { crashLimit, sweepSkewMs } = parts.deployment.settings;
  const judgement = judge(job, { crashLimit, skewMs: sweepSkewMs }, now);
  if (judgement.verb === 'leave') return 'left';
  if (judgement.verb === 'redispatch') return (await backlog.explains(job, now)) ? 'explained' : backToQueue(parts, job, job.crashes);
  const { decision } = judgement;
  if (decision.verb === 'cancel')
    return (await endAsCancelled(parts.tables, job, 'sweeper', cancelTerms(parts))) ? cancelled(parts, job) : 'lost';
  if (ranAlone(job.lockOwner)) parts.journal.record({ event: 'crashed', worker: job.worker, job: jobRef(job) });
  if (decision.verb === 'run-again') return backToQueue(parts, job, decision.crashes);
  const { reason, error, crashes } = decision;
  const buried = await buryInGroup(parts, job, { reason, error, counters: { crashes } });
  if (buried.result !== 'dead') return 'lost';
  parts.journal.record({ event: 'dead-lettered', worker: job.worker, job: jobRef(job), reason, error });
  return 'buried';
}

async function backToQueue(parts: SweeperParts, job: LeasedJob, crashes: number): Promise<'lost' | LeasedJob> {
  const { redispatchAfterMs } = parts.deployment.settings;
  const terms = { token: parts.entropy.token(), now: parts.clock.now(), redispatchAfterMs, crashes };
  const result = await reset(parts.tables, job, terms);
  if (result.result === 'lost') return 'lost';
  parts.journal.record({ event: 'reset', worker: job.worker, job: jobRef(job) });
  return result.job;
}

function cancelled(parts: SweeperParts, job: LeasedJob): 'cancelled' {
  parts.journal.record({ event: 'cancelled', worker: job.worker, job: jobRef(job) });
  return 'cancelled';
}
