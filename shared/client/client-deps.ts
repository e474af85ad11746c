import type { Deployment } from '../config/environment.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { HintSender } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';
import type { Tables } from '../ports/tables.ts';
import type { BeforeCreate } from './job-draft.ts';

/** What the verbs of the client work with. */
export interface ClientDeps {
  readonly deployment: Pick<Deployment, 'settings' | 'workers' | 'history'>;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly beforeCreate: readonly BeforeCreate[];
  /** The trace that the present invocation belongs to, for jobs that no handler enqueues. */
  readonly traceparent?: () => string | undefined;
  /** Set for a client that works for one tenant: every job that it makes is that tenant's, and it sees no other's. */
  readonly tenant?: string;
}
