import type { Row } from '../../../ports/tables.ts';

/** What an action on many jobs took from one group and has not told it yet; `gone` are the last of their ids. */
export interface Leaving {
  redriven: number;
  deleted: number;
  readonly gone: Set<string>;
  /** The group as it was told last. */
  row?: Row;
}

/** Counts of an action on many jobs, by fingerprint, until `tellLeftGroups` writes them. */
export type LeftGroups = Map<string, Leaving>;
