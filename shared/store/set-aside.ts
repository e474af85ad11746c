import { errorText } from '../core/error-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { Row, Tables } from '../ports/tables.ts';
import { quarantine } from './quarantine.ts';

/** A row that could not be read, and where. `worker` is whose queue named it, if one did; what the row says of itself is not trusted. */
export interface UnreadableRow {
  readonly table: 'jobs' | 'timers' | 'suspended';
  readonly row: Row;
  readonly error: unknown;
  readonly worker?: string;
}

/** Quarantines an unreadable row and journals it under its dead letter's id. False when somebody changed or took it meanwhile. */
export async function setAside(
  parts: { readonly tables: Tables; readonly journal: Journal; readonly clock: Clock },
  { table, row, error, worker }: UnreadableRow,
): Promise<boolean> {
  const now = parts.clock.now();
  const dead = await quarantine(parts.tables, table, row, { error, now });
  if (dead === undefined) return false;
  parts.journal.record({
    event: 'quarantined',
    reason: table,
    error: errorText(error, now),
    // Without a worker it counts for all of them.
    job: { ...dead, worker: worker ?? 'all', attempt: 0 },
    ...(worker === undefined ? {} : { worker }),
  });
  return true;
}
