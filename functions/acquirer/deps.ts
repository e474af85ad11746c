import type { Deployment } from '../../shared/config/environment.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Entropy } from '../../shared/ports/entropy.ts';
import type { HintSender } from '../../shared/ports/hints.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import type { ErrorGroupSums } from '../../shared/features/error-groups/store/error-group-sums.ts';
import type { WritePace } from './write-pace.ts';

/** What the acquirer works with. */
export interface AcquirerDeps {
  readonly deployment: Pick<Deployment, 'settings' | 'workers'>;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Deaths that this sandbox has summed up. */
  readonly errorGroups?: ErrorGroupSums;
  /** Gives the pace of one shard; by default that of DynamoDB, whose partition keys take so much a second. */
  readonly newPace?: () => WritePace;
}
