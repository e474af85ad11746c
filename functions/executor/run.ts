import { defined } from '../../shared/core/defined.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { HandledJob } from '../../shared/core/job-type.ts';
import { askOnError } from './ask-on-error.ts';
import type { Batch } from './batch.ts';
import { type ExecutorDeps, note } from './deps.ts';
import type { Delivery } from './receive.ts';
import { type Attempt, runHandler } from './run-handler.ts';

/** An admitted job. Without `start` nothing keeps it from starting but the time that is left. */
export interface Starting {
  readonly deps: ExecutorDeps;
  readonly handled: HandledJob;
  readonly job: LeasedJob;
  readonly startedAt: number;
  readonly start: boolean;
}

/** An attempt, and the job with the lease that it has by now. `lost`: the lease is another's, so nothing is to be recorded. */
export interface Run {
  readonly attempt: Attempt;
  readonly held: LeasedJob;
  readonly lost: boolean;
}

/** Runs the handler. Where no deadline ends the run, what the job holds is renewed meanwhile. */
export async function run(batch: Batch, delivery: Delivery, { deps, handled, job, startedAt, start }: Starting): Promise<Run> {
  const kept = start ? batch.leaseKeeper?.keep(delivery, job) : undefined;
  const interrupt = kept?.interrupt;
  // Claiming took so long that the lease, or the lock of its group, is nearly over.
  const starts = start && interrupt?.aborted !== true;
  if (!starts) await kept?.end(false);
  if (!starts) return { attempt: { outcome: { kind: 'no-time' }, unsettled: false }, held: job, lost: false };
  note(deps, job, 'started', { queueDelayMs: Math.max(0, startedAt - job.dueAt) });
  const { timeoutMs = Number.POSITIVE_INFINITY } = handled.type;
  const limitMs = Math.min(timeoutMs, batch.budget.abortAt - startedAt);
  const ended = await runHandler(deps, handled, job, { limitMs, ...defined({ interrupt }) });
  // Before anything else is waited for: the process may have to end meanwhile.
  if (ended.unsettled) endAfter(batch, delivery, job);
  const { job: held, lost } = (await kept?.end(ended.unsettled)) ?? { job, lost: false };
  return { attempt: await askOnError(deps, job, ended), held, lost };
}

/** The handler still runs: the process ends after this batch, and a group lock and slots of limits are left to expire, because its job may go on. */
function endAfter(batch: Batch, { hint }: Delivery, job: LeasedJob): void {
  batch.endProcess();
  batch.slots.delete(job.lockOwner);
  if (hint.g !== undefined) batch.keepLock(hint.g);
}
