import type { Deployment } from '../../shared/config/environment.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Entropy } from '../../shared/ports/entropy.ts';
import type { Backlog, HintSender } from '../../shared/ports/hints.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { Row, Tables } from '../../shared/ports/tables.ts';
import type { BurialDeps } from '../../shared/store/burials.ts';

/** Dependencies of the sweeper. */
export interface SweeperDeps extends Pick<BurialDeps, 'errorGroups'> {
  readonly deployment: Pick<Deployment, 'settings' | 'workers' | 'history'>;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The permission that the store last found missing, if it did lately. */
  readonly missingPermission?: () => string | undefined;
}

/** What a duty of a run has read that a later one needs. */
export interface SweepNotes {
  /** The rules of retention; absent unless all of them were read. */
  retentionRows?: readonly Row[];
}
