import type { Deployment } from '../config/environment.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { HintSender } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';
import type { Tables } from '../ports/tables.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { BacklogGuard } from '../features/backlogs/client/backlog-guard.ts';
import type { BeforeCreate } from './job-draft.ts';

/** What builds a job. */
export interface DraftDeps {
  readonly deployment: Pick<Deployment, 'settings' | 'workers' | 'history'>;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly beforeCreate: readonly BeforeCreate[];
  /** The trace of the current invocation, for jobs that neither a span nor a handler enqueues. */
  readonly traceparent?: () => string | undefined;
  /** Spans around enqueues; the current span is the trace context of a new job. */
  readonly tracing?: Tracing;
  /** Set for a client that works for one tenant: every job that it makes is that tenant's, and it sees no other's. */
  readonly tenant?: string;
  /** Set for jobs that do not get a row under their own id at once: their payloads stay with them, however large. */
  readonly inline?: true;
}

/** What the verbs of the client work with. */
export interface ClientDeps extends DraftDeps {
  readonly backlogs: BacklogGuard;
}
