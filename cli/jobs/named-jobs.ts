import type { Admin } from '../../operate/admin.ts';
import type { JobState } from '../../shared/job/job.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { Call } from '../call.ts';
import { plain } from '../text/plain.ts';

/** The result for one job that was named by its id. */
export interface NamedJob {
  readonly id: string;
  /** The admin's outcome, or the job's actual state: `not-found`, `running`. */
  readonly outcome: string;
  readonly done: boolean;
  readonly error?: string;
}

const PARALLEL = 8;

/** Finds the state of each id: those in one of `states` are selected, the others are left alone. */
export async function lookAtNamed(
  admin: Pick<Admin, 'find'>,
  ids: readonly string[],
  states: readonly JobState[],
): Promise<{ readonly meant: readonly string[]; readonly others: readonly NamedJob[] }> {
  const seen = await mapLimited(ids, PARALLEL, async (id) => ({ id, state: (await admin.find(id))?.state }));
  return {
    meant: seen.flatMap(({ id, state }) => (state !== undefined && states.includes(state) ? [id] : [])),
    others: seen.flatMap(({ id, state }) =>
      state !== undefined && states.includes(state) ? [] : [{ id, outcome: state ?? 'not-found', done: false }],
    ),
  };
}

/** A line for each. */
export function tellNamed({ show }: Call, jobs: readonly NamedJob[]): void {
  for (const { id, outcome, done, error } of jobs) {
    const style = done ? 'good' : error === undefined ? 'warn' : 'bad';
    const said = show.paint(style, done ? outcome : `left alone: ${outcome}`);
    show.line(`${plain(id)}  ${said}${error === undefined ? '' : `  ${plain(error)}`}`);
  }
}
