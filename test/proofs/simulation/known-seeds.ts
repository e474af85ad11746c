import { defined } from '../../../shared/job/defined.ts';
import { type KnownFailure, knownFailures, oneOfEach, reportOpen, shownBriefly } from '../../support/known-failures.ts';
import { runSeed } from './run-seed.ts';
import type { SeedViolation } from './totals.ts';

/** A seed that broke a rule once. */
interface KnownSeed extends KnownFailure {
  readonly seed: number;
}

const known = knownFailures<KnownSeed>(import.meta.dirname);

/**
 * Run before all others: what was found once is looked for again, whatever else is drawn. A seed that takes longer than five seconds is
 * removed once a test of its own shows what it found.
 */
export const KNOWN_SEEDS: readonly KnownSeed[] = known.closed;

/** Repeats the seeds that are not fixed yet. */
export async function reportOpenSeeds(print: (line: string) => void): Promise<void> {
  await reportOpen(known.open, async ({ seed }) => (await runSeed(seed)).violations.length > 0, print);
}

/** What was found without what the open seeds show: those are reported by themselves. */
export function withoutOpenSeeds<Violation extends { readonly seed: number }>(violations: readonly Violation[]): Violation[] {
  return violations.filter(({ seed }) => !known.open.some((one) => one.seed === seed));
}

/** Keeps the first seed that broke each rule, with the options that repeat the least of it where those are known. */
export function keepSeeds(
  violations: readonly SeedViolation[],
  print: (line: string) => void,
  shrunk: ReadonlyMap<number, string> = new Map(),
): void {
  const found = oneOfEach(violations, ({ rule }) => rule);
  known.keep(
    found.map(({ seed, rule, what }) => ({ seed, showed: shownBriefly(`${rule}: ${what}`), ...defined({ shrunk: shrunk.get(seed) }) })),
    print,
  );
}
