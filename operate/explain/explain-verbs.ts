import { RowUnreadableError } from '../../shared/job/errors.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { findRow, type FoundRow } from '../../shared/store/find-row.ts';
import { type Located, locatedRow } from '../../shared/store/locate.ts';
import { stateOfRow } from '../jobs/match-row.ts';
import { explainJob } from './explain-job.ts';
import type { ExplainVerbs, Explanation } from './explanation.ts';
import { type ExplainDeps, gatherFacts } from './gather-facts.ts';

/** Creates the verb; with a `tenant` jobs of all others are nowhere. */
export function explainVerbs(deps: ExplainDeps, tenant?: string): ExplainVerbs {
  return {
    async explain(given) {
      const id = checkJobId(given);
      const found = await findRow(deps.tables, id);
      if (found === undefined || (tenant !== undefined && found.row['tenant'] !== tenant)) return undefined;
      const located = read(found);
      return located instanceof RowUnreadableError
        ? explainUnreadable(id, found, located)
        : explainJob(await gatherFacts(deps, located), deps.clock.now());
    },
  };
}

function read(found: FoundRow): Located | RowUnreadableError {
  try {
    return locatedRow(found);
  } catch (error) {
    if (error instanceof RowUnreadableError) return error;
    throw error;
  }
}

/** The first function that reads such a row quarantines it, so that it blocks no other; a row that has ended already stays as it is. */
function explainUnreadable(id: string, { table, row }: FoundRow, error: RowUnreadableError): Explanation {
  const ended = table === 'deadLetters' || table === 'history';
  const who = table === 'timers' ? 'acquirer' : 'sweeper';
  const then = ended
    ? 'It has ended, so nothing happens to it.'
    : `The ${who}, or the first function that reads it, moves it to the dead letters (unreadable), which keep what it holds.`;
  return {
    id,
    state: stateOfRow(table, row),
    code: 'unreadable',
    text: `Its row in ${table} cannot be read: ${error.message} ${then}`,
    next: ended ? { verb: 'none', by: 'nobody' } : { verb: 'bury', by: who },
    facts: { table, ...(typeof row['type'] === 'string' ? { type: row['type'] } : {}) },
    verbs: table === 'deadLetters' ? ['delete'] : [],
  };
}
