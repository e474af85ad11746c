import { type Base, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { FLAG, readArguments, TEXT, wholeNumber } from '../../../scripts/command-line.ts';

/** What `npm run torture` was asked to do. */
export interface TortureOptions {
  /** How long the chaos lasts; draining comes after. */
  readonly seconds: number;
  /** Of the traffic and the chaos. What the machine makes of them differs from run to run. */
  readonly base: Base;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run torture -- [options]

Runs jobs in real processes on this machine while it kills, freezes and times out what runs them; then drains, and
audits that nothing was lost, completed twice, or run beside its group. Exit code 1 when a promise was broken.

  --seconds N    how long the chaos lasts, from 5 to 3600 (default 60)
  ${FROM_USAGE}.
                 It repeats the traffic and the blows, not what the machine makes of them
  --json         ends with one line of figures
  --help         prints this
`;

/** Reads the arguments; `draw` gives a base where none is named. Throws UsageError. */
export function readTortureOptions(args: readonly string[], draw?: () => number): TortureOptions {
  const { seconds = '60', from, json = false } = readArguments(args, { seconds: TEXT, ...FROM, json: FLAG });
  return { seconds: wholeNumber('seconds', seconds, [5, 3600]), base: readBase(from, draw), json };
}
