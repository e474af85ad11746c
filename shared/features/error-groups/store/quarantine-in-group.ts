import { defined } from '../../../core/defined.ts';
import { errorText } from '../../../core/error-text.ts';
import { deathOf } from '../model/error-group.ts';
import type { Row } from '../../../ports/tables.ts';
import { type GroupDeps, inItsGroup } from './error-groups.ts';
import { idsOf, quarantine, typeOf } from '../../../store/quarantine.ts';

/** A row that could not be read, and where. `worker` is whose queue named it, if one did; what the row says of itself is not trusted. */
export interface UnreadableRow {
  readonly table: 'jobs' | 'timers' | 'suspended';
  readonly row: Row;
  readonly error: unknown;
  readonly worker?: string;
}

/** Quarantines an unreadable row and journals it under its dead letter's id. False when somebody changed or took it meanwhile. */
export async function quarantineInGroup(deps: GroupDeps, { table, row, error, worker }: UnreadableRow): Promise<boolean> {
  const now = deps.clock.now();
  const { id } = idsOf(table, row, now);
  const death = deathOf(id, typeOf(row), errorText(error, now));
  const dead = await inItsGroup(
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
