import type { JobState, Scalar } from '../../shared/job/job.ts';

/** Why a job is where it is. */
export type ExplanationCode =
  /** Its time has not come. */
  | 'due-later'
  /** It failed, and is tried again later. */
  | 'retry-later'
  /** It booked a start under a rate limit. */
  | 'rate-limited'
  | 'next-of-schedule'
  /** Its schedule is gone or was paused: it will not start. */
  | 'stopped-by-schedule'
  /** Its batch was cancelled: it ends instead of starting. */
  | 'stopped-by-batch'
  /** It should have been fired, but the acquirer does not run. */
  | 'acquirer-late'
  | 'parked-by-limit'
  | 'in-queue'
  | 'behind-its-group'
  | 'behind-a-backlog'
  /** Its message is lost; the sweeper sends another. */
  | 'hint-lost'
  /** The sweeper has something to do for it and does not run. */
  | 'sweeper-late'
  /** Its worker is not part of the deployment: nothing can receive its message. */
  | 'worker-gone'
  | 'running'
  | 'running-cancel-requested'
  | 'lease-ran-out'
  /** Suspended, or ready or waiting and sure to be suspended when its turn comes. */
  | 'held-by-suspension'
  | 'suspension-ended'
  | 'no-handler'
  | 'newer-version'
  | 'unknown-codec'
  | 'breakpoint'
  | 'dead'
  | 'finished'
  /** Its row cannot be read. */
  | 'unreadable';

/** The actor of the next step. */
export type NextActor = 'executor' | 'acquirer' | 'sweeper' | 'operator' | 'holder-of-a-slot' | 'nobody';

/** Why a job is where it is and what happens next, as a paragraph and as data. */
export interface Explanation {
  readonly id: string;
  readonly state: JobState;
  readonly code: ExplanationCode;
  /** One paragraph in plain words; it may hold users' texts (names of groups, errors). */
  readonly text: string;
  /** `at`: the latest time, if ticks come at most a minute late, or when a job is due whose message is delayed; absent if it is unknown or never comes. */
  readonly next: { readonly verb: string; readonly by: NextActor; readonly at?: Date };
  /** What the answer rests on: `group`, `lockOwner`, `lockExpiresAt`, `limit`, `acquirerAt`... Instants are ISO texts. */
  readonly facts: Readonly<Record<string, Scalar>>;
  /** Methods of `admin` that would change it, the best first; `cancel`, which is one of the client and of `bulk`, among them. */
  readonly verbs: readonly string[];
}

/** Explains jobs. */
export interface ExplainVerbs {
  /** Undefined for a job that is nowhere. */
  explain(id: string): Promise<Explanation | undefined>;
}
