/**
 * npm run schedules [-- --from S]: recurring schedules beside a second implementation and a slow oracle, 50 zones over 20 years, in a
 * process for each core. Sparse expressions are drawn from a seed, another one each time unless `--from` repeats one.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../shared/config/system.ts';
import { recordFigures } from '../support/figures.ts';
import { runShare } from '../support/run-share.ts';
import type { Compared } from './compare.ts';
import { ZONES } from './zones.ts';

const SHARE = join(import.meta.dirname, 'compare-share.ts');
const YEARS = [2010, 2029] as const;
const SHOWN = 20;
const { from = String(systemClock.now() % 2 ** 31) } = parseArgs({ options: { from: { type: 'string' } } }).values;
if (!/^\d{1,10}$/.test(from)) throw new Error(`--from: ${JSON.stringify(from)} is not valid. Use a whole number.`);
process.stdout.write(`schedules: seed ${from}, repeated by npm run schedules -- --from ${from}\n`);
const started = Date.now();
const processes = Math.min(availableParallelism(), ZONES.length);
const found: Compared[] = [];

await Promise.all(
  Array.from({ length: processes }, (_, share) => {
    const zones = ZONES.filter((_zone, index) => index % processes === share);
    return runShare(SHARE, [from, ...YEARS.map(String), ...zones], (compared) => found.push(compared as Compared));
  }),
);
if (found.length !== ZONES.length) throw new Error(`${found.length} of ${ZONES.length} zones were compared.`);
const occurrences = found.reduce((all, one) => all + one.occurrences, 0);
const differences = found.flatMap((one) => one.differences);
for (const difference of differences.slice(0, SHOWN)) process.stderr.write(`${difference}\n`);
if (differences.length === 0) {
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  recordFigures('schedules', { zones: ZONES.length, years: YEARS[1] - YEARS[0] + 1, occurrences, differences: 0, seed: from, seconds });
} else {
  process.stderr.write(`schedules: ${differences.length} differences; npm run schedules -- --from ${from} repeats them\n`);
  process.exitCode = 1;
}
