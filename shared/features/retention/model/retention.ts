import { storedInstant } from '../../../job/instant.ts';
import type { Row } from '../../../ports/tables.ts';

/** The most that a rule can say: ten years. */
export const MAX_DAYS = 3_650;
/** The most rules of a deployment. They fit into a page that the sweeper reads in each run anyway. */
export const MAX_RULES = 30;

const DAY_MS = 86_400_000;

/** For how many days dead letters are kept: those of a type by its own rule, the others by that for all. Infinite: until they are removed by hand. */
export interface Retention {
  readonly all: number;
  readonly types: ReadonlyMap<string, number>;
}

/** For how many days dead letters of a type are kept. */
export const daysFor = ({ all, types }: Retention, type: unknown): number => types.get(String(type)) ?? all;

/** Whether a dead letter has been kept for as long as the rules say. One whose age cannot be read has not. */
export function isOver(dead: Row, retention: Retention, now: number): boolean {
  const failedAt = storedInstant(dead['failedAt']);
  return failedAt !== undefined && now - failedAt >= daysFor(retention, dead['type']) * DAY_MS;
}

/** Every rule keeps what failed after this instant; undefined if the rules keep everything. */
export function newestOver({ all, types }: Retention, now: number): number | undefined {
  const least = Math.min(all, ...types.values());
  return Number.isFinite(least) ? now - least * DAY_MS : undefined;
}
