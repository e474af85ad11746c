import { parseArgs } from 'node:util';
import { BENCHES } from './benches.ts';
import { type Share, SHARES } from './scale/share.ts';
import { SCENARIOS } from './scale/scenarios/scenarios.ts';

/** An invalid call; its message names the argument and the valid values. */
export class UsageError extends Error {}

/** The options of the command line. */
export interface BenchOptions {
  readonly benches: readonly string[];
  readonly rounds: number;
  readonly short: boolean;
  /** Whether ratios are compared with those of the kept run. */
  readonly compare: boolean;
  readonly json: boolean;
  readonly save: boolean;
  readonly help: boolean;
  /** Of `cost` alone. */
  readonly jobs?: number;
  /** Of `scale` alone. */
  readonly share?: Share;
  readonly scenarios: readonly string[];
}

/** Of a full run, at least. */
export const FULL_ROUNDS = 5;
const SHORT_ROUNDS = 1;
const MOST_ROUNDS = 50;

/** How the command is called, for people. */
export function usage(): string {
  return `Usage: npm run bench -- [${BENCHES.map(({ name }) => name).join('|')}]... [--rounds N] [--short] [--json] [--save]

${BENCHES.map(({ name, what }) => `  ${name.padEnd(12)}${what}`).join('\n')}

Without a name all of them run. Both sides of a comparison take turns in each round; a figure is minimum, median and maximum of the rounds.

  --rounds N      default ${FULL_ROUNDS}
  --short         little work and ${SHORT_ROUNDS} round, compared with bench/results/performance.json; exit code 1 when a figure of it does not
                  come, or a ratio is worse by more than a tenth. It is noisy: repeat it with --rounds 5 before you believe it
  --no-compare    with --short: compares no ratios. None are where the kept run is of another kind of machine
  --json          the report on one line; of one bench alone, its own figures come first
  --save          keep the report of a full run in bench/results/performance.json, from which npm run docs makes the page
  --jobs N        cost: jobs of each kind
  --share S       scale: full, tenth, hundredth or thousandth of each scenario's size; --scenario NAME, as often as needed, runs some

A missed target of cost, which counts and does not depend on the machine, ends with exit code 1; others are only reported.
`;
}

/** Reads the command line; throws UsageError. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parse(args);
  const { short = false, json = false, save = false, help = false, share, scenario: scenarios = [] } = values;
  const names = BENCHES.map(({ name }) => name);
  oneOf('bench', positionals, names);
  oneOf('share', share === undefined ? [] : [share], Object.keys(SHARES));
  oneOf(
    'scenario',
    scenarios,
    SCENARIOS.map(({ name }) => name),
  );
  const jobs = wholeNumber('jobs', values.jobs, [10, 100_000]);
  const benches = positionals.length === 0 ? names : names.filter((name) => positionals.includes(name));
  const rounds = wholeNumber('rounds', values.rounds, [1, MOST_ROUNDS]) ?? (short ? SHORT_ROUNDS : FULL_ROUNDS);
  const less = short || positionals.length > 0 || jobs !== undefined || share !== undefined || scenarios.length > 0 || rounds < FULL_ROUNDS;
  if (save && less) {
    throw new UsageError(
      `--save keeps full runs only: all benches in their own sizes, ${FULL_ROUNDS} rounds or more. Leave the rest away.`,
    );
  }
  return {
    benches,
    rounds,
    short,
    compare: short && !(values['no-compare'] ?? false),
    json,
    save,
    help,
    scenarios,
    ...(jobs === undefined ? {} : { jobs }),
    ...(share === undefined ? {} : { share: share as Share }),
  };
}

const FLAGS = {
  rounds: { type: 'string' },
  short: { type: 'boolean' },
  'no-compare': { type: 'boolean' },
  json: { type: 'boolean' },
  save: { type: 'boolean' },
  help: { type: 'boolean' },
  jobs: { type: 'string' },
  share: { type: 'string' },
  scenario: { type: 'string', multiple: true },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function oneOf(what: string, given: readonly string[], possible: readonly string[]): void {
  const unknown = given.find((name) => !possible.includes(name));
  if (unknown !== undefined) throw new UsageError(`${JSON.stringify(unknown)} is not a ${what}. Use ${possible.join(', ')}.`);
}

function wholeNumber(flag: string, given: string | undefined, [least, most]: readonly [number, number]): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(`--${flag} ${JSON.stringify(given)} is not valid. Use a whole number from ${least} to ${most}.`);
}
