import { hash32 } from '../../../../shared/job/hash.ts';
import type { SingleWrite } from '../../../../shared/ports/tables.ts';

/** Whether a write is one that nothing else fences, which has a window. One that has travels as no statement. */
export type HasWindow = (write: SingleWrite) => boolean;

/** Leaves the windows in the rounds that found a difference before there were writes without. */
const SALT = 'fenced';

/**
 * In half of the rounds three of four writes have no window. Which ones follows from the seed and the write, not from a draw: a sequence stays
 * the same while it is made shorter, and the sequences of a seed are what they were.
 */
export function windowsOf(seed: number): HasWindow {
  if (hash32(`${SALT} ${seed}`) % 2 === 0) return () => true;
  return (write) => hash32(`${seed} ${JSON.stringify(write)}`) % 4 === 0;
}
