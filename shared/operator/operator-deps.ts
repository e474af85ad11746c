import type { Deployment } from '../config/environment.ts';
import type { AnyJobType } from '../job/job-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Backlog, HintSender } from '../ports/hints.ts';
import type { Journal } from '../ports/journal.ts';
import type { TableName, Tables } from '../ports/tables.ts';

/** The dependencies of an operator's verbs. */
export interface OperatorDeps {
  readonly deployment: Pick<Deployment, 'history' | 'settings' | 'workers'>;
  readonly tables: Tables;
  /** The same tables with others in the place of some, by name: earlier copies, which are only read. Absent: there are no others. */
  readonly tablesNamed?: (names: Readonly<Partial<Record<TableName, string>>>) => Tables;
  readonly hints: HintSender;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Asked how many messages wait, to explain a job; absent: it is explained without. */
  readonly backlog?: Backlog;
  /** The actor in the audit if a call names none. Default `operator`. */
  readonly actor?: string;
  /** The verbs of single jobs leave no entries: what they are part of has its own. */
  readonly unaudited?: true;
  /** How long after its creation a job may be put again by its producer: the verbs wait for the end of that. Absent: no put is repeated. */
  readonly putWindowMs?: number;
  /** Job types by name: the payloads of theirs that an operator edits are checked. */
  readonly jobTypes?: ReadonlyMap<string, AnyJobType>;
}
