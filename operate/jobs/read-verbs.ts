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

/** What operators read of jobs. */
export interface ReadVerbs {
  /** One job in any state, with its payload; undefined if it is in no table, or finished and no longer in History. */
  find(id: string): Promise<JobView | undefined>;
  /** Jobs that match, a page at a time. */
  list(options?: ListOptions): Promise<JobPage>;
  /** How many match. Exact when `complete`, as of the moment of each read. Default of `maxReadUnits`: 10,000. */
  count(filter?: JobFilter & { readonly maxReadUnits?: number }): Promise<JobCounts>;
}
