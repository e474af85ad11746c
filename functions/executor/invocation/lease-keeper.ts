import type { LeasedJob } from '../../../shared/job/job.ts';
import type { Delivery } from '../receive/receive.ts';

/** Renews what a running job holds if no deadline ends its run: its lease, its group lock, its message. */
export interface LeaseKeeper {
  /** Renews everything that a claimed job holds, and the lock under which it was delivered, until `end` is called. */
  keep(delivery: Delivery, job: LeasedJob): Kept;
}

/** The renewal of one running handler. */
export interface Kept {
  /** Fires when the run must end: the lease is lost or could not be renewed (LeaseLostError), or the worker stops (WorkerStoppingError). If it has fired already, the run must not begin. */
  readonly interrupt: AbortSignal;
  /**
   * Stops renewing; waits for a pending renewal. `unsettled`: the handler still runs, so its process is ended before the
   * lease is. `lost`: another process holds the lease, so nothing must be recorded.
   */
  end(unsettled: boolean): Promise<{ readonly job: LeasedJob; readonly lost: boolean }>;
}
