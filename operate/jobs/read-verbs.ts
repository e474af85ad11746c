import type { JobState } from '../../shared/job/job.ts';
import type { JobFilter, ListOptions, ListOrder } from './job-filter.ts';
import type { JobView } from './job-view.ts';

/** A page of a list. `next` is there as long as not everything was looked at; a page may be empty and not the last. */
export interface JobPage {
  readonly jobs: readonly JobView[];
  readonly next?: string;
  readonly readUnits: number;
  /** The order that an index or a sort key gives, for one state; `none` for a scan. */
  readonly order: ListOrder | 'none';
  /** What was read, for people: `index byType of DeadLetters`, `scan of Jobs`. */
  readonly servedBy: string;
}

/** How many jobs there are in each state that was looked at. `complete` is false when the read units ended before the tables. */
export interface JobCounts extends Readonly<Record<JobState, number>> {
  readonly total: number;
  readonly complete: boolean;
  readonly readUnits: number;
}

/** Where a unique key is looked for: it is unique within its type and tenant. */
export interface FindByKeyOptions {
  /** Default: every type that `types()` names, and those that the session has. */
  readonly type?: string;
  /** Default: no tenant. */
  readonly tenant?: string;
}

/** A unique key that is held, and the job that holds it. */
export interface HeldKey {
  readonly type: string;
  readonly tenant?: string;
  readonly id: string;
  /** For a key that lasts for a stated time, whether its job has ended or not. */
  readonly until?: Date;
  /** As `find` gives it; absent if the job is in no table. */
  readonly job?: JobView;
}

/** The jobs that hold a unique key, by type: one for each type at most. `types`: those that were looked at. */
export interface FoundByKey {
  readonly held: readonly HeldKey[];
  readonly types: readonly string[];
}

/** What operators read of jobs. */
export interface ReadVerbs {
  /** One job in any state, with its payload; undefined if it is in no table, or finished and no longer in History. */
  find(id: string): Promise<JobView | undefined>;
  /**
   * The jobs that hold a unique key now. A job that is finished or cancelled, or is a dead letter, holds none, unless its key lasts for a stated time.
   * Costs one read for each type and a `find` for each job; without `type` also what `types()` costs.
   */
  findByKey(key: string, options?: FindByKeyOptions): Promise<FoundByKey>;
  /** Jobs that match, a page at a time. */
  list(options?: ListOptions): Promise<JobPage>;
  /** How many match. Exact when `complete`, as of the moment of each read. Default of `maxReadUnits`: 10,000. */
  count(filter?: JobFilter & { readonly maxReadUnits?: number }): Promise<JobCounts>;
}
