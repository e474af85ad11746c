import type { LeasedJob } from '../../shared/core/job.ts';
import type { Delivery } from './receive.ts';

/** Keeps what a running job holds, where no deadline ends its run: its lease, the lock of its group, its message. */
export interface LeaseKeeper {
  /** Keeps everything of a claimed job, and the lock under which it was delivered, until `end` is called. */
  keep(delivery: Delivery, job: LeasedJob): Kept;
}

/** What is kept while a handler runs. */
export interface Kept {
  /** Fires when the run must end: the lease is lost or could not be renewed (LeaseLostError), or the worker stops (WorkerStoppingError). If it has fired already, the run must not begin. */
  readonly interrupt: AbortSignal;
  /**
   * Stops renewing; waits for a renewal that is on its way. `unsettled`: the handler still runs, so its process is ended before the
   * lease is. `lost`: the store said that the lease is another's, so nothing is to be recorded.
   */
  end(unsettled: boolean): Promise<{ readonly job: LeasedJob; readonly lost: boolean }>;
}
