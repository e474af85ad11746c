/** npm run schedules: recurring schedules beside a second implementation and a slow oracle, in a process for each core. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Base, baseLine, FROM, FROM_USAGE, readBase } from '../../support/base-seed.ts';
import { readArguments, runCommand, TEXT, wholeNumber } from '../../../scripts/command-line.ts';
import { recordFailure, recordFigures } from '../../support/figures.ts';
import { runShare } from '../../support/run-share.ts';
import type { Compared } from './compare.ts';
import { ZONES } from './zones.ts';

const USAGE = `Usage: npm run schedules -- [options]

Compares the occurrences of schedules in ${ZONES.length} time zones over twenty years with those of a second implementation and of a walk
minute by minute. Expressions that seldom come are drawn. Exit code 1 when they differ.

  --years N      only the last N of them
  --parts N      one of N parts of the zones: the one that the base names (default 1)
  ${FROM_USAGE}
  --help         prints this
`;
const SHARE = join(import.meta.dirname, 'compare-share.ts');
const LAST_YEAR = 2029;
const ALL_YEARS = 20;
const SHOWN = 20;

async function main(args: readonly string[]): Promise<number> {
  const { years: wanted, parts = '1', from } = readArguments(args, { years: TEXT, parts: TEXT, ...FROM });
  const years = wanted === undefined ? ALL_YEARS : wholeNumber('years', wanted, [1, ALL_YEARS]);
  const base = readBase(from);
  const zones = zonesOf(base, wholeNumber('parts', parts));
  const again = baseLine(base, 'schedules', args);
  process.stdout.write(`${again}\n${zones.length} of ${ZONES.length} zones\n`);
  const started = Date.now();
  const found = await compareAll(zones, base.from, years);
  const differences = found.flatMap((one) => one.differences);
  for (const difference of differences.slice(0, SHOWN)) process.stderr.write(`${difference}\n`);
  if (differences.length > 0) {
    process.stderr.write(`schedules: ${differences.length} differences; ${again}\n`);
    recordFailure('schedules', base);
    return 1;
  }
  const occurrences = found.reduce((all, one) => all + one.occurrences, 0);
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  recordFigures('schedules', { zones: zones.length, years, occurrences, differences: 0, seconds }, base);
  return 0;
}

/** The zones of the part that the base names. */
function zonesOf(base: Base, parts: number): readonly string[] {
  const part = base.from % parts;
  return ZONES.filter((_zone, index) => index % parts === part);
}

async function compareAll(chosen: readonly string[], from: number, years: number): Promise<readonly Compared[]> {
  const processes = Math.min(availableParallelism(), chosen.length);
  const found: Compared[] = [];
  await Promise.all(
    Array.from({ length: processes }, (_, share) => {
      const zones = chosen.filter((_zone, index) => index % processes === share);
      return runShare(SHARE, [from, LAST_YEAR - years + 1, LAST_YEAR, ...zones].map(String), (compared) =>
        found.push(compared as Compared),
      );
    }),
  );
  if (found.length !== chosen.length) throw new Error(`${found.length} of ${chosen.length} zones were compared.`);
  return found;
}

await runCommand(USAGE, main);
