import { neverSeen, type Totals, unexplainedRescues } from './totals.ts';

/** Fewer seeds than this may miss a rare fault by chance. */
const ENOUGH_SEEDS = 200;
const SHOWN_VIOLATIONS = 20;

type Print = (line: string) => void;

/** What is wrong with a run: rules that were broken, and what it never met. */
export function problemsOf(totals: Totals): readonly string[] {
  const unseen = totals.seeds >= ENOUGH_SEEDS ? neverSeen(totals).map((what) => `VACUOUS: ${what} never happened`) : [];
  const rescues = unexplainedRescues(totals);
  return [...broken(totals), ...unseen, ...(rescues === undefined ? [] : [`VIOLATION rescues-explained: ${rescues}`])];
}

/** Rules that were broken, each with its seed. */
export function broken(totals: Totals): readonly string[] {
  return totals.violations
    .slice(0, SHOWN_VIOLATIONS)
    .map(({ seed, rule, what }) => `VIOLATION ${rule}: ${what}\n  npm run simulate -- --seed ${seed}`);
}

/** Prints what many seeds came to. */
export function printTotals(totals: Totals, seconds: number, print: Print): void {
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  print(
    `${totals.seeds} seeds in ${seconds} s: ${totals.operations} store and queue operations (${totals.writes} writes), ${totals.events} events`,
  );
  print(`${totals.jobs} jobs, ${totals.starts} starts, ${totals.rescues} rescues for ${totals.causes} causes`);
  print(`transitions: ${counts(totals.verbs)}`);
  print(`faults: ${counts(totals.faults)}`);
  print(`${totals.violations.length} violations`);
  if (totals.violations.length === 0)
    print(`with 95 % confidence fewer than ${(3 / totals.seeds).toExponential(1)} of such runs break a promise (3/N)`);
}

/** What of a run is kept. */
export function figuresOf(totals: Totals, seconds: number): Readonly<Record<string, number | string>> {
  const faults = Object.values(totals.faults).reduce((sum, count) => sum + count, 0);
  return {
    seeds: totals.seeds,
    operations: totals.operations,
    events: totals.events,
    faults,
    violations: totals.violations.length,
    seconds,
  };
}
