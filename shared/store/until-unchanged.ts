import { StoreUnavailableError } from '../job/errors.ts';

/** The row changed between the read and the write: read again. */
export const CHANGED: unique symbol = Symbol('changed');

/**
 * Reads, plans and writes again as long as others change the row in between, at most `looks` times. `look` gets the number of the
 * read, from 0, and returns CHANGED if its write found a different row. `givenUp` returns the result after the last one, or throws.
 */
export async function untilUnchanged<Answer>(
  looks: number,
  look: (number: number) => Promise<Answer | typeof CHANGED>,
  givenUp: () => Answer,
): Promise<Answer> {
  for (let number = 0; number < looks; number++) {
    const answer = await look(number);
    if (answer !== CHANGED) return answer;
  }
  return givenUp();
}

/** The error of a verb whose job was moved by other verbs at each read. */
export const keptMoving = (verb: string) => (): never => {
  throw new StoreUnavailableError(verb, new Error('the job kept moving'));
};
