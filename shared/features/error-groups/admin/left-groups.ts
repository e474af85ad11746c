import type { Row } from '../../../ports/tables.ts';

/** Dead letters that an action removed from one group and has not written yet; `gone` are their last ids. */
export interface Leaving {
  redriven: number;
  deleted: number;
  readonly gone: Set<string>;
  /** The group after the last write. */
  row?: Row;
}

/** Counts of an action on many jobs, by fingerprint, until `tellLeftGroups` writes them. */
export type LeftGroups = Map<string, Leaving>;

/** What updating a group takes when dead letters leave it. */
export interface LeftGroupDeps {
  /** Dead letters that an action on many jobs removes from error groups, written by `tellLeftGroups`. Absent: each is written at once. */
  readonly leftGroups?: LeftGroups;
}
