import { type Base, FROM, readBase } from '../../support/base-seed.ts';
import { FLAG, oneOf, readArguments, TEXT, wholeNumber } from '../../../scripts/command-line.ts';

/** The options of `npm run fuzz`. */
export interface FuzzOptions {
  /** For all targets together. */
  readonly seconds: number;
  /** So many hundreds of inputs of each target instead, so that every run tries the same. */
  readonly hundreds?: number;
  readonly base: Base;
  readonly target?: string;
  readonly json: boolean;
}

const OPTIONS = { seconds: TEXT, hundreds: TEXT, ...FROM, target: TEXT, json: FLAG } as const;

/** Reads the arguments; `targets` are the names that `--target` may give. Throws UsageError. */
export function readFuzzOptions(args: readonly string[], targets: readonly string[], draw?: () => number): FuzzOptions {
  const { seconds = '60', hundreds, from, target, json = false } = readArguments(args, OPTIONS);
  return {
    seconds: wholeNumber('seconds', seconds, [1, 86_400]),
    base: readBase(from, draw),
    json,
    ...(hundreds === undefined ? {} : { hundreds: wholeNumber('hundreds', hundreds) }),
    ...(target === undefined ? {} : { target: oneOf('target', target, targets) }),
  };
}
