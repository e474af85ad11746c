import { StoreUnavailableError } from '../core/errors.ts';

/** The row changed between the read and the write: look again. */
export const CHANGED: unique symbol = Symbol('changed');

/**
 * Reads, plans and writes again for as long as others change the row in between, at most `looks` times. `look` gets the number of the
 * look, from 0, and answers CHANGED when its write met another row than it read. `givenUp` says what then holds, or throws.
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

/** What a verb throws for a job that another verb moved at each look. */
export const keptMoving = (verb: string) => (): never => {
  throw new StoreUnavailableError(verb, new Error('the job kept moving'));
};
