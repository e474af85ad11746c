import { randomInt } from 'node:crypto';
import { TEXT, wholeNumber } from '../../scripts/command-line.ts';

/** The seed of all randomness in a run. */
export interface Base {
  readonly from: number;
  /** False when it was named, to repeat a run: such a run finds nothing new and is not counted. */
  readonly drawn: boolean;
}

/** The option that names a base. */
export const FROM = { from: TEXT } as const;

/** Its line in the usage of a command. */
export const FROM_USAGE = '--from S       the base seed: repeats a run that ends by count. Drawn at random and printed otherwise';

/** Bases are drawn below this, so that a seed is short enough to dictate. */
const DRAWN_BELOW = 1_000_000_000;
/** The seed of a source of randomness. */
const MAX_SEED = 2 ** 31 - 1;

/** The base that was named, or a fresh one. Throws UsageError. */
export function readBase(from: string | undefined, draw: () => number = () => randomInt(1, DRAWN_BELOW)): Base {
  return from === undefined ? { from: draw(), drawn: true } : { from: readSeed('from', from), drawn: false };
}

/** A seed that an option names. Throws UsageError. */
export function readSeed(option: string, text: string): number {
  return wholeNumber(option, text, [1, MAX_SEED]);
}

/** The line at the start of a run. `script` and `args`: how it was called. */
export function baseLine({ from, drawn }: Base, script: string, args: readonly string[]): string {
  const others = args.filter((arg, index) => !arg.startsWith('--from') && args[index - 1] !== '--from');
  return `base ${from}, ${drawn ? 'drawn at random' : 'as named'}; to repeat: npm run ${[script, '--', ...others, '--from', from].join(' ')}`;
}

/** The part that a base selects, in the format of Vitest's `--shard`. */
export function partOf({ from }: Base, parts: number): string {
  return `${(from % parts) + 1}/${parts}`;
}
