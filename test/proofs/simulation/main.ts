/**
 * `npm run simulate`: runs the known seeds and then fresh ones, and reports; exit code 1 when a rule was broken or the run was vacuous.
 * `--help` prints the options.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mutantOptions } from '../mutants/node-options.ts';
import { type Base, baseLine } from '../../support/base-seed.ts';
import { runCommand } from '../../../scripts/command-line.ts';
import { recordFailure, recordFigures } from '../../support/figures.ts';
import { keepSeeds, KNOWN_SEEDS, reportOpenSeeds, withoutOpenSeeds } from './known-seeds.ts';
import type { Cut } from './faults/cut-plan.ts';
import { readOptions, type SimulationOptions, USAGE } from './options.ts';
import { broken, figuresOf, printTotals, problemsOf } from './report.ts';
import { runSeed } from './run-seed.ts';
import { runSeeds, seedsFrom } from './run-seeds.ts';
import { tellShrunk } from './tell-shrunk.ts';
import { addTotals, noTotals, type Totals } from './totals.ts';

/** Of a process, until the clock is looked at again. */
const SEEDS_A_ROUND = 25;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(USAGE, async (args) => {
  const options = readOptions(args);
  if (options.mutant !== undefined && !process.execArgv.includes('--import')) return runWithMutant(options.mutant, args);
  return options.seed === undefined ? manySeeds(options, args) : oneSeed(options.seed, options.cut);
});

/** The same once more in a process in which the mutant is there from the start. */
async function runWithMutant(name: string, args: readonly string[]): Promise<number> {
  const child = fork(import.meta.filename, args, { execArgv: [...process.execArgv, ...mutantOptions(name)] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function oneSeed(seed: number, cut: Cut): Promise<number> {
  const report = await runSeed(seed, { print, cut });
  for (const { rule, what } of report.violations) print(`VIOLATION ${rule}: ${what}`);
  print(`seed ${seed}: ${report.operations} operations, ${report.jobs} jobs, trace ${report.hash}, ${report.violations.length} violations`);
  return report.violations.length > 0 ? 1 : 0;
}

async function manySeeds(options: SimulationOptions, args: readonly string[]): Promise<number> {
  const { base, mutant, json } = options;
  print(baseLine(base, 'simulate', args));
  const known = mutant === undefined ? await knownSeeds(options.processes) : noTotals();
  const startedAt = performance.now();
  const totals = await freshSeeds(options);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (mutant === undefined) totals.violations = withoutOpenSeeds(totals.violations);
  const problems = [...broken(known), ...problemsOf(totals)];
  printTotals(totals, seconds, print);
  for (const problem of problems) print(problem);
  if (mutant === undefined) {
    keepSeeds(totals.violations, print);
    recordRun(totals, { seconds, base, passed: problems.length === 0 });
  }
  const shrunk = await tellShrunk(totals.violations, { mutant, print });
  if (mutant === undefined) keepSeeds(totals.violations, print, shrunk);
  const { seeds, operations, events, faults, violations } = totals;
  if (json) print(JSON.stringify({ seeds, operations, events, faults, violations: violations.length }));
  return problems.length > 0 ? 1 : 0;
}

/** As many as were asked for, or as fit into the time. */
async function freshSeeds({ base: { from }, seeds, minutes, processes }: SimulationOptions): Promise<Totals> {
  if (minutes === undefined) return runSeeds(seedsFrom(from, seeds), processes);
  const totals = noTotals();
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    const more = await runSeeds(seedsFrom(from + totals.seeds, SEEDS_A_ROUND * processes), processes);
    addTotals(totals, more);
    keepSeeds(more.violations, print);
    print(`${totals.seeds} seeds, ${totals.violations.length} violations`);
  }
  return totals;
}

async function knownSeeds(processes: number): Promise<Totals> {
  const totals = await runSeeds(
    KNOWN_SEEDS.map(({ seed }) => seed),
    processes,
  );
  print(`${KNOWN_SEEDS.length} known seeds: ${totals.violations.length} violations`);
  await reportOpenSeeds(print);
  return totals;
}

/** A run that is only vacuous says nothing, neither way. */
function recordRun(
  totals: Totals,
  { seconds, base, passed }: { readonly seconds: number; readonly base: Base; readonly passed: boolean },
): void {
  if (passed) recordFigures('simulation', figuresOf(totals, seconds), base);
  else if (totals.violations.length > 0) recordFailure('simulation', base);
}
