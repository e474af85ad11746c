import { InvalidInputError } from '../../shared/job/errors.ts';

const MAX_TRIES = 1_000_000;

/** Refuses a number of tries that would bury the job unseen, or that is none. */
export function checkTries(tries: unknown, field: string): number {
  if (Number.isInteger(tries) && Number(tries) >= 1 && Number(tries) <= MAX_TRIES) return Number(tries);
  throw new InvalidInputError(field, tries, `Use a whole number from 1 to ${MAX_TRIES}; to end a job use cancel.`);
}
