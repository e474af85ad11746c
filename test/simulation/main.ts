/**
 * `npm run simulate -- --seeds 2000 --from 1`: runs seeds and reports; exit code 1 when a rule was broken or the run was vacuous.
 * `--seed S` replays one with its trace. `--json` ends with one line of figures. `--processes N` shares the seeds out.
 * `--mutant <name>` switches a deliberate bug on (test/mutants), so that the run must turn red.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { mutantOptions } from '../mutants/node-options.ts';
import { recordFigures } from '../support/figures.ts';
import { runSeed } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';
import { neverSeen, type Totals, unexplainedRescues } from './totals.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    mutant: { type: 'string' },
    processes: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    json: { type: 'boolean', default: false },
  },
});
/** Fewer seeds than this may miss a rare fault by chance. */
const ENOUGH_SEEDS = 200;
const SHOWN_VIOLATIONS = 20;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.mutant !== undefined && !process.execArgv.includes('--import')) runWithMutant(values.mutant);
else if (values.seed === undefined) await manySeeds();
else await oneSeed(wholeNumber('seed', values.seed));

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

async function manySeeds(): Promise<void> {
  const range = { from: wholeNumber('from', values.from), seeds: wholeNumber('seeds', values.seeds) };
  const startedAt = performance.now();
  const totals = await runSeeds(range, wholeNumber('processes', values.processes));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const problems = problemsOf(totals, range.seeds);
  printTotals(totals, seconds);
  for (const problem of problems) print(problem);
  if (problems.length > 0) process.exitCode = 1;
  else if (values.mutant === undefined) recordFigures('simulation', figuresOf(totals, seconds));
  const { seeds, operations, events, faults, violations } = totals;
  if (values.json) print(JSON.stringify({ seeds, operations, events, faults, violations: violations.length }));
}

function problemsOf(totals: Totals, seeds: number): readonly string[] {
  const unseen = seeds >= ENOUGH_SEEDS ? neverSeen(totals).map((what) => `VACUOUS: ${what} never happened`) : [];
  const rescues = unexplainedRescues(totals);
  const broken = totals.violations
    .slice(0, SHOWN_VIOLATIONS)
    .map(({ seed, rule, what }) => `VIOLATION ${rule}: ${what}\n  npm run simulate -- --seed ${seed}`);
  return [...broken, ...unseen, ...(rescues === undefined ? [] : [`VIOLATION rescues-explained: ${rescues}`])];
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

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  process.stderr.write(`--${option}: ${text} is no whole number above 0.\n`);
  process.exit(2);
}
