import type { AttemptEntry } from './history-entry.ts';

/** Attempts without a record in History, first to last. */
export interface AttemptGap {
  readonly from: number;
  readonly to: number;
}

type Recorded = Pick<AttemptEntry, 'attempt' | 'outcome'>;

/** Attempts that ran between two recorded ones, or before the first, and left no record. A redrive numbers from 1 again. */
export function gapBefore(attempt: Recorded, previous?: Recorded): AttemptGap | undefined {
  const goesOn = previous !== undefined && previous.outcome !== 'dead-lettered' && previous.attempt <= attempt.attempt;
  const from = goesOn ? previous.attempt + 1 : 1;
  return from < attempt.attempt ? { from, to: attempt.attempt - 1 } : undefined;
}

/** The gap in words, for people. */
export function gapText({ from, to }: AttemptGap): string {
  return from === to
    ? 'no record: its process was killed, or the record was lost or has expired'
    : 'no records: their processes were killed, or the records were lost or have expired';
}

/** `attempt 1`, `attempts 1 to 3`. */
export function gapName({ from, to }: AttemptGap): string {
  return from === to ? `attempt ${from}` : `attempts ${from} to ${to}`;
}
