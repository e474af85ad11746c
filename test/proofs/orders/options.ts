import { availableParallelism } from 'node:os';
import { type Base, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, TEXT, UsageError, wholeNumber } from '../../../scripts/command-line.ts';
import { parseFaults, type Struck } from './faults.ts';
import { type Meeting, parsePair } from './meetings.ts';
import type { Strength } from './strength.ts';

/** What `npm run orders` was asked to do. */
export interface OrderOptions {
  readonly base: Base;
  /** Absent: 90, and with --all as long as it takes. */
  readonly seconds?: number;
  /** Ends after so many draws, however long it takes; absent: when the time is up. */
  readonly draws?: number;
  readonly all: boolean;
  readonly restart: boolean;
  /** Pairs of this strength; with --all: up to this one. */
  readonly strength?: Strength;
  readonly pair?: Meeting;
  readonly order?: string;
  readonly faults: readonly Struck[];
  readonly most: number;
  readonly processes: number;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run orders -- [options]

Walks the orders in which the requests of two actors can reach the store, over pairs that are drawn. Exit code 1 when a rule was broken.

  --seconds N     for so long (default 90, with --all as long as it takes)
  --draws N       ends after N draws or pairs instead, so that a run can be repeated whole
  ${FROM_USAGE}
  --all           every pair in all orders, without faults and with each single fault; continues where it was ended
  --strength N    pairs of 1 (each pair of verbs once), 2 (each pair of verbs in each state, with each feature, end and level of History),
                  3 (in each state with each feature) or 4 (the rest), whole, from a drawn place; with --all: everything up to this strength
  --restart       with --all: begins anew
  --pair NAME     only this one, such as 'cancel x execute @ ready/plain/plain/outcome'
  --order LABELS  with --pair: plays this order with its trace and its steps, such as 'A1.get-jobs B1.write-jobs time', then the first moves
  --faults LIST   with --pair: these strike, such as A3:lost-reply
  --most N        most orders of one walk (default 150, with --all or --strength 1000, with --pair no bound)
  --processes N   shares the pairs out (default 2)
  --json          ends with one line of figures
  --help          prints this
`;

const NUMBERS = { seconds: TEXT, strength: TEXT, draws: TEXT, most: TEXT, processes: TEXT } as const;
const OPTIONS = { ...FROM, ...NUMBERS, all: FLAG, restart: FLAG, pair: TEXT, order: TEXT, faults: TEXT, json: FLAG } as const;

/** Reads the arguments. Throws UsageError. */
export function readOptions(args: readonly string[]): OrderOptions {
  const { from, seconds, strength, draws, all = false, restart = false, json = false, ...values } = readArguments(args, OPTIONS);
  const { pair, order, faults } = values;
  if (pair === undefined && (order ?? faults) !== undefined) throw new UsageError('--order and --faults need --pair.');
  const whole = all || strength !== undefined;
  const most = pair !== undefined ? String(Number.MAX_SAFE_INTEGER) : whole ? '1000' : '150';
  return {
    base: readBase(from),
    all,
    restart,
    faults: faultsNamed(faults ?? ''),
    most: wholeNumber('most', values.most ?? most),
    processes: wholeNumber('processes', values.processes ?? String(Math.min(2, availableParallelism()))),
    json,
    ...(strength === undefined ? {} : { strength: wholeNumber('strength', strength, [1, 4]) as Strength }),
    ...(seconds === undefined ? {} : { seconds: wholeNumber('seconds', seconds) }),
    ...(draws === undefined ? {} : { draws: wholeNumber('draws', draws) }),
    ...(pair === undefined ? {} : { pair: pairNamed(pair) }),
    ...(order === undefined ? {} : { order }),
  };
}

function pairNamed(text: string): Meeting {
  const pair = parsePair(text);
  if (pair === undefined) throw new UsageError(`--pair: there is no ${JSON.stringify(text)}. Write it as a run prints it.`);
  return pair;
}

function faultsNamed(text: string): readonly Struck[] {
  const faults = parseFaults(text);
  if (faults === undefined)
    throw new UsageError(`--faults: ${JSON.stringify(text)} is not a list such as A3.write-jobs:lost-reply,B1:gone-after.`);
  return faults;
}
