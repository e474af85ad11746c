/**
 * `npm run simulate`: runs the known seeds and then fresh ones, and reports; exit code 1 when a rule was broken or the run was vacuous.
 * `--help` prints the options.
 */
import { fork } from 'node:child_process';
import { mutantOptions } from '../mutants/node-options.ts';
import { recordFigures } from '../support/figures.ts';
import { KNOWN_SEEDS } from './known-seeds.ts';
import { readOptions, type SimulationOptions, USAGE, UsageError } from './options.ts';
import { runSeed } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';
import { addSeed, neverSeen, noTotals, type Totals, unexplainedRescues } from './totals.ts';

/** Fewer seeds than this may miss a rare fault by chance. */
const ENOUGH_SEEDS = 200;
const SHOWN_VIOLATIONS = 20;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(USAGE);
  else if (options.mutant !== undefined && !process.execArgv.includes('--import')) runWithMutant(options.mutant);
  else if (options.seed === undefined) await manySeeds(options);
  else await oneSeed(options.seed);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

/** The same once more in a process in which the mutant is there from the start. */
function runWithMutant(name: string): void {
  const child = fork(import.meta.filename, process.argv.slice(2), { execArgv: [...process.execArgv, ...mutantOptions(name)] });
  child.on('exit', (code) => (process.exitCode = code ?? 1));
}

async function oneSeed(seed: number): Promise<void> {
  const report = await runSeed(seed, { print });
  for (const { rule, what } of report.violations) print(`VIOLATION ${rule}: ${what}`);
  print(`seed ${seed}: ${report.operations} operations, ${report.jobs} jobs, trace ${report.hash}, ${report.violations.length} violations`);
  if (report.violations.length > 0) process.exitCode = 1;
}

async function manySeeds(options: SimulationOptions): Promise<void> {
  const { seeds: count, from, mutant, processes, json } = options;
  if (options.drawn) print(`base ${from}, drawn at random; to repeat: npm run simulate -- --seeds ${count} --from ${from}`);
  const known = mutant === undefined ? await knownSeeds() : noTotals();
  const startedAt = performance.now();
  const totals = await runSeeds({ from, seeds: count }, processes);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const problems = [...broken(known), ...problemsOf(totals, count)];
  printTotals(totals, seconds);
  for (const problem of problems) print(problem);
  if (problems.length > 0) process.exitCode = 1;
  else if (mutant === undefined) recordFigures('simulation', figuresOf(totals, seconds));
  const { seeds, operations, events, faults, violations } = totals;
  if (json) print(JSON.stringify({ seeds, operations, events, faults, violations: violations.length }));
}

async function knownSeeds(): Promise<Totals> {
  const totals = noTotals();
  for (const { seed } of KNOWN_SEEDS) addSeed(totals, await runSeed(seed));
  print(`${KNOWN_SEEDS.length} known seeds: ${totals.violations.length} violations`);
  return totals;
}

function problemsOf(totals: Totals, seeds: number): readonly string[] {
  const unseen = seeds >= ENOUGH_SEEDS ? neverSeen(totals).map((what) => `VACUOUS: ${what} never happened`) : [];
  const rescues = unexplainedRescues(totals);
  return [...broken(totals), ...unseen, ...(rescues === undefined ? [] : [`VIOLATION rescues-explained: ${rescues}`])];
}

function broken(totals: Totals): readonly string[] {
  return totals.violations
    .slice(0, SHOWN_VIOLATIONS)
    .map(({ seed, rule, what }) => `VIOLATION ${rule}: ${what}\n  npm run simulate -- --seed ${seed}`);
}

function printTotals(totals: Totals, seconds: number): void {
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

function figuresOf(totals: Totals, seconds: number): Readonly<Record<string, number | string>> {
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
