import { type BatchCallback, type BatchCounts, type BatchHead, type BatchOutcome, hasEnded, outcomeOf } from './batch-progress.ts';
import { defined } from '../../../job/defined.ts';

/** How a batch is going. Counters are of the moment; two of them may be a write apart. */
export interface BatchProgress extends BatchCounts {
  readonly id: string;
  readonly name?: string;
  readonly tenant?: string;
  readonly parent?: string;
  /**
   * Open: its builder may add children and no callback fires. Sealed: its children run. Cancelled: those that were not received yet
   * end as cancelled. Finished: every child ended.
   */
  readonly state: 'open' | 'sealed' | 'cancelled' | 'finished';
  /** Children that did not end yet, wherever they are. */
  readonly pending: number;
  /** Of a finished batch. */
  readonly outcome?: BatchOutcome;
  /** Milestones that were reported, with or without a callback. */
  readonly fired: readonly BatchCallback[];
  readonly createdAt: Date;
  readonly sealedAt?: Date;
  readonly cancelledAt?: Date;
  readonly finishedAt?: Date;
}

/** A batch as it is shown. */
export function progressOf({ head, counts }: { readonly head: BatchHead; readonly counts: BatchCounts }): BatchProgress {
  const { id, name, tenant, parent, fired } = head;
  const ended = head.finishedAt !== undefined && hasEnded(counts);
  const dates = Object.entries({ sealedAt: head.sealedAt, cancelledAt: head.cancelledAt, finishedAt: head.finishedAt });
  return {
    id,
    ...defined({ name, tenant, parent }),
    state: ended ? 'finished' : head.cancelledAt === undefined ? head.state : 'cancelled',
    ...counts,
    pending: Math.max(0, counts.total - counts.succeeded - counts.failed - counts.cancelled),
    ...(ended ? { outcome: outcomeOf(counts, head) } : {}),
    fired,
    createdAt: new Date(head.createdAt),
    ...Object.fromEntries(dates.flatMap(([key, at]) => (at === undefined ? [] : [[key, new Date(at)]]))),
  };
}
