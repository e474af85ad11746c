import type { Outcome } from '../../shared/core/decide.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { CompletionExtras } from '../../shared/store/complete.ts';

/** A job after its attempt. */
export interface Ended {
  readonly job: LeasedJob;
  readonly outcome: Outcome;
  readonly startedAt: number;
  /** Revision of the row when it was claimed, which names the attempt in History. Default: the job's. */
  readonly run?: number;
  readonly requestId: string;
  /** When the attempt ended; every try to record it writes the same. */
  readonly endedAt: number;
  /** Fresh for each attempt, one for all tries to record it: a try whose reply was lost is recognised by the next one. */
  readonly token: string;
  /** The attempt may still be alive: no retry before its lease ends. */
  readonly unsettled: boolean;
  /** What a completion brings along. */
  readonly extras?: CompletionExtras;
}
