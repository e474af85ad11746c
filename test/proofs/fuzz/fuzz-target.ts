import fc from 'fast-check';

/** Code that takes input from outside, and its promise for every input. */
export interface FuzzTargetSpec<Input> {
  readonly name: string;
  /** Inputs of the run that belongs to `npm test`, chosen so that all targets together take seconds. */
  readonly shortRuns: number;
  /** Longest time that one input may compute: far more than any needs, far less than a regular expression that backtracks. */
  readonly longestMs: number;
  /** Longest time that a check may wait for an answer, by the clock on the wall. Default 20 s. */
  readonly answersWithinMs?: number;
  readonly input: () => fc.Arbitrary<Input>;
  /** Throws if the promise is broken for an input. */
  readonly check: (input: Input) => void | Promise<void>;
  /** Stops anything that `check` started, such as a server. */
  readonly close?: () => Promise<void>;
}

/** A target with its input type erased. */
export interface FuzzTarget extends Pick<FuzzTargetSpec<unknown>, 'name' | 'shortRuns' | 'longestMs' | 'answersWithinMs' | 'close'> {
  /** `around` is called for each input with the check of it. */
  readonly property: (around: (check: () => Promise<void>) => Promise<void>) => fc.IAsyncPropertyWithHooks<[unknown]>;
}

/** Makes a target of its spec. */
export function fuzzTarget<Input>({ input, check, ...rest }: FuzzTargetSpec<Input>): FuzzTarget {
  return {
    ...rest,
    property: (around) => fc.asyncProperty(input(), (value) => around(async () => check(value))),
  };
}
