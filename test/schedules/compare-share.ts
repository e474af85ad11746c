/** A process that compares some zones: `compare-share.ts <first year> <last year> <zone>...`; sends what it found for each. */
import { compareWithCroner, compareWithOracle, EXPRESSIONS } from './compare.ts';

const [first, last, ...zones] = process.argv.slice(2);
const years = [Number(first), Number(last)] as const;
for (const zone of zones) {
  const parts = [compareWithOracle(zone, years), ...EXPRESSIONS.map((cron) => compareWithCroner(zone, cron, years))];
  process.send?.({
    occurrences: parts.reduce((all, { occurrences }) => all + occurrences, 0),
    differences: parts.flatMap(({ differences }) => differences),
  });
}
process.disconnect?.();
