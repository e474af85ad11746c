import type { LeasedJob } from '../../../shared/job/job.ts';
import type { HandledJob } from '../../../shared/job/job-type.ts';
import type { ExecutorInvocation } from '../invocation/open-invocation.ts';
import type { Disposition } from '../settle/requeue.ts';
import type { Delivery } from '../receive/receive.ts';

/** A claimed job on its way to its handler. */
export interface Candidate {
  readonly delivery: Delivery;
  readonly job: LeasedJob;
  readonly handled: HandledJob;
}

/**
 * Decides whether a claimed job may start now. A gate that stops a job has settled it with one fenced write and returns the disposition
 * of the message. `pass` wrote nothing that would have to be undone. If the lease was lost, returns `acknowledge`.
 */
export type Gate = (invocation: ExecutorInvocation, candidate: Candidate) => Promise<'pass' | Disposition>;
