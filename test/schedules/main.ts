/** npm run schedules: recurring schedules beside a second implementation and a slow oracle, 50 zones over 20 years. */
import { recordFigures } from '../support/figures.ts';
import { compareWithCroner, compareWithOracle, EXPRESSIONS } from './compare.ts';
import { ZONES } from './zones.ts';

const YEARS = [2010, 2029] as const;
const SHOWN = 20;
const started = Date.now();
let occurrences = 0;
const differences: string[] = [];

for (const zone of ZONES) {
  const parts = [compareWithOracle(zone, YEARS), ...EXPRESSIONS.map((cron) => compareWithCroner(zone, cron, YEARS))];
  for (const part of parts) {
    occurrences += part.occurrences;
    differences.push(...part.differences);
  }
}
for (const difference of differences.slice(0, SHOWN)) process.stderr.write(`${difference}\n`);
if (differences.length === 0) {
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  recordFigures('schedules', { zones: ZONES.length, years: YEARS[1] - YEARS[0] + 1, occurrences, differences: 0, seconds });
} else {
  process.stderr.write(`schedules: ${differences.length} differences\n`);
  process.exitCode = 1;
}
