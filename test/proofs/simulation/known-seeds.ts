import { type KnownFailure, knownFailures, oneOfEach, shownBriefly } from '../../support/known-failures.ts';
import type { SeedViolation } from './totals.ts';

/** A seed that broke a rule once. */
interface KnownSeed extends KnownFailure {
  readonly seed: number;
}

const known = knownFailures<KnownSeed>(import.meta.dirname);

/** Run before all others, by `npm run simulate` and by the tests: what was found once is looked for again, whatever else is drawn. */
export const KNOWN_SEEDS: readonly KnownSeed[] = known.all;

/** Keeps the first seed that broke each rule. */
export function keepSeeds(violations: readonly SeedViolation[], print: (line: string) => void): void {
  const found = oneOfEach(violations, ({ rule }) => rule);
  known.keep(
    found.map(({ seed, rule, what }) => ({ seed, showed: shownBriefly(`${rule}: ${what}`) })),
    print,
  );
}
