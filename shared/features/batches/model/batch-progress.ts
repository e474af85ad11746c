/** The milestones of a batch: every child ended, every child succeeded, more failed than tolerated. */
export type BatchCallback = 'completed' | 'succeeded' | 'failed';

/** All callbacks, in the order in which they are named everywhere. */
export const BATCH_CALLBACKS: readonly BatchCallback[] = ['completed', 'succeeded', 'failed'];

/** How a batch ended as a whole; a batch within a batch is counted by it. */
export type BatchOutcome = 'succeeded' | 'failed' | 'cancelled';

/** Children of a batch. `failed`: those that are dead letters now. */
export interface BatchCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** A batch without its counters. Instants are epoch milliseconds. */
export interface BatchHead {
  readonly id: string;
  /** Open: its builder may add children, and nothing is reported. Sealed: only its running children may. */
  readonly state: 'open' | 'sealed';
  /** Rows over which its counters are spread; fixed, because what has no row yet must be known to have none. */
  readonly leaves: number;
  /** Failures that are tolerated. */
  readonly maxFailures: number;
  readonly createdAt: number;
  readonly sealedAt?: number;
  readonly cancelledAt?: number;
  /** When every child had ended. */
  readonly finishedAt?: number;
  readonly name?: string;
  readonly tenant?: string;
  /** The batch that counts this one as a child, and the leaf of its counters that does. */
  readonly parent?: string;
  readonly parentLeaf?: number;
  /** The outcome last reported to the parent. */
  readonly told?: BatchOutcome;
  /** Callbacks for which there is a job to enqueue. */
  readonly callbacks: readonly BatchCallback[];
  /** Milestones already reported, with or without a callback. */
  readonly fired: readonly BatchCallback[];
}

/** Up to here a batch counts in few rows, so that looking at it and telling of its end cost little. */
const FEW_CHILDREN = 1_000;

/** Rows over which the counters of a batch are spread. Every end of a child is a transaction on one of them, and two on one row are in each other's way. */
export function leavesFor(expected: number | undefined): number {
  return expected !== undefined && expected <= FEW_CHILDREN ? 16 : 64;
}

/** Sum of counters. */
export function sumCounts(rows: readonly Partial<BatchCounts>[]): BatchCounts {
  const sum = (name: keyof BatchCounts): number => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  return { total: sum('total'), succeeded: sum('succeeded'), failed: sum('failed'), cancelled: sum('cancelled') };
}

/** Whether every child ended. A dead letter ended: an operator may redrive it, and then it ends once more. */
export function hasEnded({ total, succeeded, failed, cancelled }: BatchCounts): boolean {
  return succeeded + failed + cancelled === total;
}

/** The outcome of a batch whose children have all ended. Tolerated failures do not count; a cancelled child is neither failure nor success. */
export function outcomeOf({ failed, cancelled }: BatchCounts, { maxFailures }: Pick<BatchHead, 'maxFailures'>): BatchOutcome {
  if (failed > maxFailures) return 'failed';
  return cancelled > 0 ? 'cancelled' : 'succeeded';
}

/** Milestones to report now, each once per batch. None while the builder may still add children. */
export function dueCallbacks(head: BatchHead, counts: BatchCounts): readonly BatchCallback[] {
  if (head.state !== 'sealed') return [];
  const ended = hasEnded(counts);
  const due: Readonly<Record<BatchCallback, boolean>> = {
    completed: ended,
    succeeded: ended && outcomeOf(counts, head) === 'succeeded',
    failed: counts.failed > head.maxFailures,
  };
  return BATCH_CALLBACKS.filter((name) => due[name] && !head.fired.includes(name));
}

/** The outcome to report to the parent now; undefined if it knows. Only after a redrive can a batch succeed that had ended otherwise. */
export function newsForParent(head: BatchHead, counts: BatchCounts): BatchOutcome | undefined {
  if (head.parent === undefined || !hasEnded(counts)) return undefined;
  const outcome = outcomeOf(counts, head);
  if (head.told === undefined) return outcome;
  return outcome === 'succeeded' && head.told !== 'succeeded' ? outcome : undefined;
}
