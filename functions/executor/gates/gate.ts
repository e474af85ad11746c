import type { LeasedJob } from '../../../shared/core/job.ts';
import type { HandledJob } from '../../../shared/core/job-type.ts';
import type { Batch } from '../batch.ts';
import type { Disposition } from '../requeue.ts';
import type { Delivery } from '../receive.ts';

/** A claimed job on its way to its handler. */
export interface Candidate {
  readonly delivery: Delivery;
  readonly job: LeasedJob;
  readonly handled: HandledJob;
}

/**
 * Says whether a claimed job may start now. A gate that stops a job has settled it itself, by one fenced write, and says what becomes
 * of the message; `pass` wrote nothing that would have to be undone. Where it lost the lease it answers `acknowledge`.
 */
export type Gate = (batch: Batch, candidate: Candidate) => Promise<'pass' | Disposition>;
