import { iso } from '../../shared/job/instant.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import type { JobState } from '../../shared/job/job.ts';
import type { Row, Tables } from '../../shared/ports/tables.ts';
import type { FoundRow } from '../../shared/store/find-row.ts';
import type { CheckedFilter } from '../jobs/check-filter.ts';
import { matchesRow, stateOfRow } from '../jobs/match-row.ts';
import type { MatchedRow } from '../jobs/matching-rows.ts';

/** The job does not match an action on many jobs, or no longer does; `outcome` is the reason: its state, or `changed`. */
export class NotMeantError extends Error {
  readonly outcome: string;

  constructor(outcome: string) {
    super(outcome);
    this.outcome = outcome;
  }

  /** Whether it no longer matches because it has ended. */
  get isOfEnded(): boolean {
    return this.outcome === 'finished' || this.outcome === 'dead';
  }
}

/**
 * Which jobs an action on many means, and since when: those that are there by `begun`, in epoch milliseconds. `since` is the attribute of
 * a row with the instant since when its job is as the verb means it, if it has one.
 */
export interface Meant {
  readonly filter: CheckedFilter;
  readonly since: string | undefined;
  readonly begun: number;
}

/** Whether a row was there when the bulk action began. A dead letter or a suspended job that came back is another story than the one that was meant. */
export function wasThere({ since, begun }: Meant, state: JobState, row: Row): boolean {
  const times = [row['createdAt'], state === 'dead' ? row['failedAt'] : undefined, since === undefined ? undefined : row[since]];
  return times.every((at) => typeof at !== 'string' || at <= iso(begun));
}

/**
 * Tables that show a job only while it is meant, so that the verb for one job decides on a row that still matches, at no read of its
 * own: it throws NotMeantError instead. `met` is the row that matched; absent for a job that may have been acted on already.
 */
export function matchesSelection(tables: Tables, meant: Meant, id: JobId, met?: MatchedRow): Tables {
  return {
    async get(table, key) {
      const row = await tables.get(table, key);
      const outcome = row === undefined || table === 'control' || row['id'] !== id ? undefined : notMeant(meant, { table, key, row }, met);
      if (outcome !== undefined) throw new NotMeantError(outcome);
      return row;
    },
    write: async (...given) => tables.write(...given),
    transact: async (...given) => tables.transact(...given),
    putAll: async (...given) => tables.putAll(...given),
    query: async (...given) => tables.query(...given),
    scan: async (...given) => tables.scan(...given),
  };
}

function notMeant(meant: Meant, { table, row }: FoundRow, met: MatchedRow | undefined): string | undefined {
  const state = stateOfRow(table, row);
  const { filter } = meant;
  if (!filter.states.includes(state)) return state;
  if (!wasThere(meant, state, row) || !matchesRow(filter, table, row)) return 'changed';
  // Clocks differ: a job that died again may have a time before the start, but not exactly the time of its first death.
  const isSameDeath = met === undefined || state !== 'dead' || (met.state === 'dead' && met.row['failedAt'] === row['failedAt']);
  return isSameDeath ? undefined : 'changed';
}
