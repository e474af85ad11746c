/** A process that compares some zones: `compare-share.ts <seed> <first year> <last year> <zone>...`; sends what it found for each. */
import { compareSparse } from './compare-sparse.ts';
import { compareWithCroner, compareWithOracle, EXPRESSIONS } from './compare.ts';

/** Expressions drawn around each change of the clocks. Another seed draws others, so that runs add up. */
const DRAWS = 2;
const [seed, first, last, ...zones] = process.argv.slice(2);
const years = [Number(first), Number(last)] as const;
for (const zone of zones) {
  const sparse = compareSparse(zone, years, { seed: Number(seed), each: DRAWS });
  const parts = [sparse, compareWithOracle(zone, years), ...EXPRESSIONS.map((cron) => compareWithCroner(zone, cron, years))];
  process.send?.({
    occurrences: parts.reduce((all, { occurrences }) => all + occurrences, 0),
    differences: parts.flatMap(({ differences }) => differences),
  });
}
process.disconnect?.();
