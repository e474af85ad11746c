import type { JobState, Scalar } from '../../core/job.ts';

/** Why a job is where it is. */
export type ExplanationCode =
  | 'due-later'
  | 'retry-later'
  | 'next-of-schedule'
  | 'acquirer-late'
  | 'parked-by-limit'
  | 'in-queue'
  | 'behind-its-group'
  | 'behind-a-backlog'
  | 'hint-lost'
  | 'sweeper-late'
  | 'running'
  | 'running-cancel-requested'
  | 'lease-ran-out'
  | 'held-by-suspension'
  | 'suspension-ended'
  | 'no-handler'
  | 'breakpoint'
  | 'dead'
  | 'finished';

/** Who does the next step. */
export type NextActor = 'executor' | 'acquirer' | 'sweeper' | 'operator' | 'holder-of-a-slot' | 'nobody';

/** Why a job is where it is and what happens next, as a paragraph and as data. */
export interface Explanation {
  readonly id: string;
  readonly state: JobState;
  readonly code: ExplanationCode;
  /** One paragraph in plain words; it may hold users' texts (names of groups, errors). */
  readonly text: string;
  readonly next: { readonly verb: string; readonly by: NextActor; readonly at?: Date };
  /** What the answer rests on: `group`, `lockOwner`, `lockExpiresAt`, `limit`, `acquirerAt`... */
  readonly facts: Readonly<Record<string, Scalar>>;
  /** Verbs of the operator that would change it, the best first. */
  readonly verbs: readonly string[];
}

/** Explains jobs. */
export interface ExplainVerbs {
  /** Undefined for a job that is nowhere. */
  explain(id: string): Promise<Explanation | undefined>;
}
