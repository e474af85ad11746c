import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** What `npm run simulate` was asked to do. */
export interface SimulationOptions {
  readonly seeds: number;
  /** The first seed. Drawn at random when it was not given. */
  readonly from: number;
  readonly drawn: boolean;
  /** Only this one, with its trace. */
  readonly seed?: number;
  readonly mutant?: string;
  readonly processes: number;
  readonly json: boolean;
  readonly help: boolean;
}

/** What `--help` prints. */
export const USAGE = `npm run simulate -- [options]

  --seeds N      runs N seeds from a base that is drawn at random and printed (default 200), after the known ones
  --from S       the base: repeats a run
  --seed S       replays one seed with its trace
  --mutant NAME  switches a deliberate bug on (npm run mutants -- --list), so that the run must turn red
  --processes N  shares the seeds out (default 2)
  --json         ends with one line of figures
  --help         prints this

Exit code 1: a rule was broken, or the run was vacuous. 2: the arguments are not valid.
`;

/** A command line that cannot be followed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Bases are drawn below this, so that a seed is short enough to be told on the phone. */
const HIGHEST_BASE = 1_000_000_000;

/** Reads the arguments; `draw` gives a base where none is named. Throws UsageError. */
export function readOptions(args: readonly string[], draw: () => number = () => randomInt(1, HIGHEST_BASE)): SimulationOptions {
  const { seeds = '200', from, seed, mutant, processes, json = false, help = false } = parse(args);
  return {
    seeds: whole('seeds', seeds),
    from: from === undefined ? draw() : whole('from', from),
    drawn: from === undefined,
    processes: processes === undefined ? Math.min(2, availableParallelism()) : whole('processes', processes),
    json,
    help,
    ...(seed === undefined ? {} : { seed: whole('seed', seed) }),
    ...(mutant === undefined ? {} : { mutant }),
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { seeds: text, from: text, seed: text, mutant: text, processes: text, json: flag, help: flag };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function whole(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new UsageError(`--${option}: ${JSON.stringify(text)} is no whole number above 0.`);
}
