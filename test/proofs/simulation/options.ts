import { availableParallelism } from 'node:os';
import { type Base, FROM, FROM_USAGE, readBase, readSeed } from '../../support/base-seed.ts';
import { FLAG, oneOf, readArguments, TEXT, UsageError, wholeNumber } from '../../../scripts/command-line.ts';
import type { Cut } from './faults/cut-plan.ts';
import { FAULT_NAMES } from './faults/fault-plan.ts';

/** What `npm run simulate` was asked to do. */
export interface SimulationOptions {
  readonly seeds: number;
  /** Runs seeds until they are over, however many that are. */
  readonly minutes?: number;
  /** The first seed. */
  readonly base: Base;
  /** Only this one, with its trace. */
  readonly seed?: number;
  /** What of `seed` takes place. */
  readonly cut: Cut;
  readonly mutant?: string;
  readonly processes: number;
  readonly json: boolean;
}

/** What `--help` prints. */
export const USAGE = `Usage: npm run simulate -- [options]

Simulates whole deployments over a store, queues and clocks that go wrong: the seeds that failed once, then fresh ones. A seed that
breaks a rule is shrunk to the faults and actors that it needs for that.

  --seeds N      so many fresh seeds, from the base on (default 200)
  ${FROM_USAGE}
  --minutes N    fresh seeds until N minutes are over, instead of --seeds
  --seed S       replays one seed with its trace
  --faults LIST  with --seed: only these kinds of faults happen, such as lost-reply,late-write, or none
  --actors LIST  with --seed: only these users and operators take part, such as producer,editor, or none
  --strikes LIST with --seed: only these of the faults that are left happen, by number, or none
  --mutant NAME  switches a deliberate bug on (npm run mutants -- --list), so that the run must turn red
  --processes N  shares the seeds out (default 2)
  --json         ends with one line of figures
  --help         prints this

Exit code 1: a rule was broken, or the run was vacuous. 2: the arguments are not valid.
`;

const CUT = { faults: TEXT, actors: TEXT, strikes: TEXT } as const;
const OPTIONS = { seeds: TEXT, minutes: TEXT, ...FROM, seed: TEXT, ...CUT, mutant: TEXT, processes: TEXT, json: FLAG } as const;

/** Reads the arguments; `draw` gives a base where none is named. Throws UsageError. */
export function readOptions(args: readonly string[], draw?: () => number): SimulationOptions {
  const { seeds = '200', minutes, from, seed, mutant, processes, json = false, ...cut } = readArguments(args, OPTIONS);
  if (seed === undefined && Object.keys(cut).length > 0) throw new UsageError(`--${Object.keys(cut)[0]} needs --seed.`);
  return {
    seeds: wholeNumber('seeds', seeds),
    base: readBase(from, draw),
    processes: processes === undefined ? Math.min(2, availableParallelism()) : wholeNumber('processes', processes),
    json,
    cut: readCut(cut),
    ...(minutes === undefined ? {} : { minutes: wholeNumber('minutes', minutes) }),
    ...(seed === undefined ? {} : { seed: readSeed('seed', seed) }),
    ...(mutant === undefined ? {} : { mutant }),
  };
}

const NONE = 'none';

function readCut({ faults, actors, strikes }: Readonly<Partial<Record<'faults' | 'actors' | 'strikes', string>>>): Cut {
  const list = (text: string): readonly string[] => (text === NONE ? [] : text.split(','));
  return {
    ...(faults === undefined ? {} : { faults: list(faults).map((name) => oneOf('faults', name, FAULT_NAMES)) }),
    ...(actors === undefined ? {} : { actors: list(actors) }),
    ...(strikes === undefined ? {} : { strikes: list(strikes).map((number) => wholeNumber('strikes', number)) }),
  };
}

/** The options that name a part of a seed, as `readOptions` reads them. */
export function cutOptions({ faults, actors, strikes }: Cut): string {
  const option = (name: string, list: readonly (string | number)[] | undefined): readonly string[] =>
    list === undefined ? [] : [`--${name} ${list.length === 0 ? NONE : list.join(',')}`];
  return [...option('faults', faults), ...option('actors', actors), ...option('strikes', strikes)].join(' ');
}
