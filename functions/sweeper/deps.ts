import type { Deployment } from '../../shared/config/environment.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Entropy } from '../../shared/ports/entropy.ts';
import type { Backlog, HintSender } from '../../shared/ports/hints.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import type { ErrorGroupSums } from '../../shared/features/error-groups/store/error-group-sums.ts';

/** What the sweeper works with. */
export interface SweeperDeps {
  readonly deployment: Pick<Deployment, 'settings' | 'workers' | 'history'>;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly backlog: Backlog;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Deaths that this sandbox has summed up. */
  readonly errorGroups?: ErrorGroupSums;
}
