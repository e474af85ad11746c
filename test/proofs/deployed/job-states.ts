import type { JobSnapshot } from '../../../shared/client/job-client.ts';
import type { Operator } from './operator-over.ts';
import { must, type Report, type RunTerms, until } from './report.ts';
import type { Target } from './target.ts';

/** Dependencies of the steps of a walk. */
export interface Walk {
  readonly target: Pick<Target, 'receiver' | 'patience'>;
  readonly operator: Operator;
  readonly report: Report;
  readonly terms: RunTerms;
}

/** Waits until a job is in History with the expected outcome; throws on another one. */
export async function ended(
  walking: Walk,
  id: string | undefined,
  outcome: 'completed' | 'cancelled',
  withinMs: number = walking.target.patience.jobMs,
): Promise<JobSnapshot> {
  const job = await reached(walking, id, 'finished', withinMs);
  must(`the outcome of ${job.type}`, job.outcome, outcome);
  return job;
}

/** Waits until a job is in a state; throws with where it was last when it does not get there. */
export async function reached(
  { operator, target, terms }: Walk,
  id: string | undefined,
  state: 'finished' | 'dead',
  withinMs: number = target.patience.jobMs,
): Promise<JobSnapshot> {
  const look = (): Promise<JobSnapshot | undefined> => operator.jobs.get(given(id, 'the id of a job'));
  const job = await until({ what: `a job that is ${state}`, look, is: (seen) => seen?.state === state, withinMs }, terms);
  return given(job, 'the job');
}

/** Returns a required value; throws an error that names it if it is missing. */
export function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is missing`);
  return value;
}
