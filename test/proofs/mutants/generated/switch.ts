import type { Condition } from '../../../../shared/ports/tables.ts';

/** Called by every source with switches: whether a mutant is active. */
interface Mutants {
  /** The number of the mutant that is on. */
  active: number | undefined;
  /** Numbers of the reached mutants, while they are collected. */
  seen: Set<number> | undefined;
  /** Rounds of loops since this was set to 0. */
  rounds: number;
  on(number: number): boolean;
  round(): void;
  weakened(condition: Condition | undefined): Condition | undefined;
}

/** Far more rounds than a fast test makes. */
const MOST_ROUNDS = 300_000;

/** A loop that a mutant keeps from ending. */
class EndlessLoopError extends Error {
  override readonly name = 'EndlessLoopError';
}

/** The one of this process. */
export const mutants: Mutants = {
  active: undefined,
  seen: undefined,
  rounds: 0,
  on(number) {
    this.seen?.add(number);
    return this.active === number;
  },
  round() {
    if (++this.rounds > MOST_ROUNDS && this.active !== undefined) throw new EndlessLoopError('A loop does not end.');
  },
  weakened,
};

Object.assign(globalThis, { __mutants: mutants });

/** The same, but that each comparison asks only whether the attribute is there. */
function weakened(condition: Condition | undefined): Condition | undefined {
  if (condition === undefined) return undefined;
  if ('of' in condition) return { test: condition.test, of: condition.of.map((part) => weakened(part) ?? part) };
  return condition.test === 'absent' ? condition : { test: 'present', attribute: condition.attribute };
}
