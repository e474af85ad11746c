import { defined } from '../job/defined.ts';
import { errorText } from '../job/error-text.ts';
import type { LeasedJob } from '../job/job.ts';
import { deathOf } from '../features/error-groups/model/error-group.ts';
import { type GroupDeps, inItsErrorGroup } from '../features/error-groups/store/error-groups.ts';
import type { Row } from '../ports/tables.ts';
import { bury, type Burial, type Buried } from './bury.ts';
import { idsOf, quarantine, typeOf } from './quarantine.ts';

/** What features do around a burial. The functions bury jobs, and quarantine rows, only through this file. */

/** What a burial takes besides the verb's own arguments. */
export type BurialDeps = GroupDeps;

/** Buries a job after its error group was updated, so that every dead letter belongs to a group. */
export async function buryInErrorGroup(deps: BurialDeps, job: LeasedJob, burial: Burial): Promise<Buried> {
  const death = deathOf(job.id, job.type, burial.error);
  const attempt = `${job.id}/${job.lockOwner}`;
  return inItsErrorGroup(
    deps,
    { death, attempt },
    () => bury(deps.tables, job, burial),
    ({ result }) => result === 'dead',
  );
}

/** An unreadable row and its table. `worker`: the worker whose queue named it, if any; the row's own attributes are not trusted. */
export interface UnreadableRow {
  readonly table: 'jobs' | 'timers' | 'suspended';
  readonly row: Row;
  readonly error: unknown;
  readonly worker?: string;
}

/** Quarantines an unreadable row and journals it under its dead letter's id. False if another process has changed or taken it since. */
export async function quarantineInGroup(deps: BurialDeps, { table, row, error, worker }: UnreadableRow): Promise<boolean> {
  const now = deps.clock.now();
  const { id } = idsOf(table, row, now);
  const death = deathOf(id, typeOf(row), errorText(error, now));
  const dead = await inItsErrorGroup(
    deps,
    { death, attempt: `quarantine/${id}` },
    () => quarantine(deps.tables, table, row, { error, now }),
    (became) => became !== undefined,
  );
  if (dead === undefined) return false;
  deps.journal.record({
    event: 'quarantined',
    reason: table,
    error: errorText(error, now),
    // Without a worker it counts for all of them.
    job: { ...dead, worker: worker ?? 'all', attempt: 0 },
    ...defined({ worker }),
  });
  return true;
}
