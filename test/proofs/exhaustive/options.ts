import { availableParallelism } from 'node:os';
import { type Base, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, TEXT, UsageError, wholeNumber } from '../../../scripts/command-line.ts';
import { type Chosen, POINT_FAULTS } from './chosen-faults.ts';
import { parseFaults } from './faults-text.ts';

/** The options of `npm run exhaustive`. */
export interface ExhaustiveOptions {
  readonly pairs: boolean;
  /** At most this many first faults of each flow start pairs; absent: all. */
  readonly firsts?: number;
  readonly base: Base;
  readonly flow?: string;
  /** Only the run of `flow` with these. */
  readonly faults?: readonly Chosen[];
  readonly processes: number;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run exhaustive -- [options]

Puts each fault at each await point of each flow. Exit code 1 when a rule was broken.

  --pairs        also two faults at a time
  --firsts N     pairs begin with N faults of each flow, drawn from all its points, instead of with every one
  ${FROM_USAGE}
  --flow NAME    only this flow
  --faults LIST  with --flow: one run with its trace, such as --faults 3:crash-after,7:lost-reply.
                 Faults: ${POINT_FAULTS.join(', ')}
  --processes N  shares the runs out (default 2)
  --json         ends with one line of figures
  --help         prints this
`;

const OPTIONS = { pairs: FLAG, firsts: TEXT, ...FROM, flow: TEXT, faults: TEXT, processes: TEXT, json: FLAG } as const;

/** Reads the arguments. Throws UsageError. */
export function readOptions(args: readonly string[]): ExhaustiveOptions {
  const { pairs = false, firsts, from, flow, faults, processes, json = false } = readArguments(args, OPTIONS);
  if (faults !== undefined && flow === undefined) throw new UsageError('--faults needs --flow.');
  return {
    pairs,
    base: readBase(from),
    processes: processes === undefined ? Math.min(2, availableParallelism()) : wholeNumber('processes', processes),
    json,
    ...(firsts === undefined ? {} : { firsts: wholeNumber('firsts', firsts) }),
    ...(flow === undefined ? {} : { flow }),
    ...(faults === undefined ? {} : { faults: parseFaults(faults) }),
  };
}
