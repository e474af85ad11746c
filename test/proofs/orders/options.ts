import { availableParallelism } from 'node:os';
import { type Base, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, TEXT, UsageError, wholeNumber } from '../../support/command-line.ts';
import { parseFaults, type Struck } from './faults.ts';
import { type Meeting, parsePair } from './meetings.ts';

/** What `npm run orders` was asked to do. */
export interface OrderOptions {
  readonly base: Base;
  readonly seconds: number;
  /** Ends after so many draws, however long it takes; absent: when the time is up. */
  readonly draws?: number;
  readonly all: boolean;
  readonly restart: boolean;
  readonly pair?: Meeting;
  readonly order?: string;
  readonly faults: readonly Struck[];
  readonly most: number;
  readonly processes: number;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run orders -- [options]

Walks the orders in which the requests of two actors can reach the store, over pairs that are drawn. Exit code 1 when a rule was broken.

  --seconds N     for so long (default 90)
  --draws N       ends after N draws instead, so that a run can be repeated whole
  ${FROM_USAGE}
  --all           every pair in all orders, without faults and with each single fault; goes on where it was ended
  --restart       with --all: begins anew
  --pair NAME     only this one, such as 'cancel x execute @ ready/plain/plain/outcome'
  --order DIGITS  with --pair: plays this order with its trace and its steps
  --faults LIST   with --pair: these strike, such as A3:lost-reply
  --most N        most orders of one walk (default 150, with --all 5000, with --pair no bound)
  --processes N   shares the pairs out (default 2)
  --json          ends with one line of figures
  --help          prints this
`;

const NUMBERS = { seconds: TEXT, draws: TEXT, most: TEXT, processes: TEXT } as const;
const OPTIONS = { ...FROM, ...NUMBERS, all: FLAG, restart: FLAG, pair: TEXT, order: TEXT, faults: TEXT, json: FLAG } as const;

/** Reads the arguments. Throws UsageError. */
export function readOptions(args: readonly string[]): OrderOptions {
  const { from, seconds = '90', draws, all = false, restart = false, json = false, ...values } = readArguments(args, OPTIONS);
  const { pair, order, faults } = values;
  if (pair === undefined && (order ?? faults) !== undefined) throw new UsageError('--order and --faults need --pair.');
  const most = pair !== undefined ? String(Number.MAX_SAFE_INTEGER) : all ? '5000' : '150';
  return {
    base: readBase(from),
    seconds: wholeNumber('seconds', seconds),
    all,
    restart,
    faults: faultsNamed(faults ?? ''),
    most: wholeNumber('most', values.most ?? most),
    processes: wholeNumber('processes', values.processes ?? String(Math.min(2, availableParallelism()))),
    json,
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
  if (faults === undefined) throw new UsageError(`--faults: ${JSON.stringify(text)} is not a list such as A3:lost-reply,B1:gone-after.`);
  return faults;
}
