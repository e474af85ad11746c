import type { AttemptOutcome, LoggedLine } from '../../../shared/job/attempt.ts';
import type { JobError } from '../../../shared/job/job.ts';
import type { JobRef, JournalEvent } from '../../../shared/ports/journal.ts';

/** One entry of a session: a line logged by the handler, or an event of its job. Instants are epoch milliseconds. */
export type SessionEntry =
  | ({ readonly kind: 'log' } & LoggedLine)
  | { readonly kind: 'event'; readonly at: number; readonly event: JournalEvent; readonly reason?: string; readonly error?: JobError };

/** All log lines and events of one attempt, in order. */
export interface AttemptSession {
  readonly job: JobRef;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: AttemptOutcome;
  readonly requestId: string;
  readonly entries: readonly SessionEntry[];
  /** Log lines beyond the first 1,000. */
  readonly dropped: number;
}

/** Receives each attempt after it ended, also if it failed, lost its lease or could not be recorded. May be asynchronous. */
export type OnSession = (session: AttemptSession) => unknown;
