import type { Quarry } from './hunt.ts';

const WIDTHS = [24, 12, 24];

/** A mutant's line: whether it was caught, where, how often, and by which rules (others than its own in brackets). */
export function lineOf(quarry: Quarry): string {
  const cells = [quarry.mutant.name, caughtIn(quarry), howOften(quarry), byRules(quarry)];
  return cells.map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0)).join('  ');
}

/** What to do about a mutant that was not caught. */
export function survivorLines({ mutant, problem }: Quarry): string {
  const again = `npm run mutants -- --mutant ${mutant.name}`;
  if (problem !== undefined) return `NOT HUNTED ${mutant.name}: ${problem}\n  then: ${again}`;
  return `SURVIVOR ${mutant.name}: ${mutant.why}\n  to hunt on: ${again} --seeds 20000`;
}

function caughtIn({ caught, caughtIn, mutant, problem }: Quarry): string {
  if (problem !== undefined) return 'NOT HUNTED';
  if (!caught) return 'SURVIVED';
  return caughtIn === undefined ? `flow ${mutant.flow}` : `seed ${caughtIn}`;
}

function howOften({ seeds, catches, mutant, seconds }: Quarry): string {
  return mutant.flow === undefined ? `${catches} of ${seeds} seeds, ${seconds.toFixed(0)} s` : `${seconds.toFixed(0)} s`;
}

function byRules({ rules, mutant }: Quarry): string {
  const own: readonly string[] = mutant.rules;
  return Object.entries(rules)
    .toSorted(([a, one], [b, other]) => Number(own.includes(b)) - Number(own.includes(a)) || other - one)
    .map(([rule]) => (own.includes(rule) ? rule : `(${rule})`))
    .join(', ');
}
