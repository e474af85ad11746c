import type { Deployment } from '../../shared/config/environment.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Entropy } from '../../shared/ports/entropy.ts';
import type { HintSender } from '../../shared/ports/hints.ts';
import type { Journal } from '../../shared/ports/journal.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import type { BurialDeps } from '../../shared/store/burials.ts';
import type { WritePace } from './write-pace.ts';

/** Dependencies of the acquirer. */
export interface AcquirerDeps extends Pick<BurialDeps, 'errorGroups'> {
  readonly deployment: Pick<Deployment, 'settings' | 'workers'>;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The permission that the store last found missing, if it did lately. */
  readonly missingPermission?: () => string | undefined;
  /** Returns the write pace of one shard. Default: the throughput limit of a DynamoDB partition key. */
  readonly newPace?: () => WritePace;
}
