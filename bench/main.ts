import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCHES } from './benches.ts';
import type { Bench, BenchResult } from './frame/bench.ts';
import { REASONS } from './page/reasons.ts';
import { strayReasons } from './page/missed.ts';
import { changeTable, machineKind, ratioChanges } from './page/kept-ratios.ts';
import { thisMachine } from './frame/machine.ts';
import { measurementTable } from './frame/measurement-table.ts';
import { missingFigures } from './frame/missing-figures.ts';
import { progressBar } from './frame/progress-bar.ts';
import { MissingProgramError, systemBinary } from './frame/system-binary.ts';
import type { BenchOutcome, BenchReport } from './frame/report.ts';
import { undeclaredFigures } from './frame/undeclared-figures.ts';
import { type BenchOptions, readOptions, usage, UsageError } from './options.ts';

const EXIT_USAGE = 2;
const EXIT_STOPPED = 130;
const SAVED = join(import.meta.dirname, 'results', 'performance.json');

async function main(options: BenchOptions): Promise<number> {
  const { benches: chosen, rounds, short, compare, json, save } = options;
  const date = new Date().toISOString();
  const startedAt = performance.now();
  const benches: Record<string, BenchOutcome> = {};
  const faults: string[] = [];
  let whole = true;
  const running = BENCHES.filter(({ name }) => chosen.includes(name));
  // A full run takes half an hour: what the last bench needs is asked for first.
  for (const program of running.flatMap(({ programs = [] }) => programs)) systemBinary(program);
  for (const bench of running) {
    const began = performance.now();
    try {
      const { table, ...outcome } = await watched(bench, options);
      if (!json) process.stdout.write(`${table ?? measurementTable(bench.name, outcome)}\n\n`);
      benches[bench.name] = { what: bench.what, ...outcome, tookSeconds: seconds(began) };
      const ids = outcome.measurements.map(({ id }) => id);
      faults.push(...undeclaredFigures(bench, ids).map((fault) => `A run: ${fault}`));
      const missed = bench.counts === true ? outcome.measurements.filter(({ met }) => met === false) : [];
      faults.push(...missed.map(({ id }) => `${id} misses its target.`));
    } catch (error) {
      // The others' minutes are not lost with it.
      whole = false;
      faults.push(`${bench.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  const report: BenchReport = { date, short, rounds, machine: thisMachine(), tookSeconds: seconds(startedAt), benches };
  if (json) process.stdout.write(`${oneLine(report)}\n`);
  if (short)
    faults.push(
      ...missingFigures(kept(), report).map((id) => `${id} is in bench/results/performance.json, and the short form did not bring it.`),
    );
  if (compare) faults.push(...gotWorse(report, json ? () => {} : (text) => process.stdout.write(`${text}\n`)));
  if (whole && chosen.length === BENCHES.length) faults.push(...strayReasons(report, REASONS));
  if (save && whole) writeFileSync(SAVED, `${JSON.stringify(report, undefined, 1)}\n`);
  for (const fault of faults) process.stderr.write(`bench: ${fault}\n`);
  return faults.length === 0 ? 0 : 1;
}

/** Compares with the kept run; gives a sentence for each ratio that got worse. */
function gotWorse(report: BenchReport, print: (text: string) => void): readonly string[] {
  const before = kept();
  const changes = ratioChanges(before, report);
  print(changes === undefined ? `No run is kept of ${machineKind(report.machine)}: no ratio is compared.` : changeTable(changes));
  const worse = changes?.filter(({ isWorse }) => isWorse) ?? [];
  return worse.map(({ id }) => `${id} is worse by more than a tenth than in the run of ${before.date.slice(0, 10)}.`);
}

const kept = (): BenchReport => JSON.parse(readFileSync(SAVED, 'utf8')) as BenchReport;

async function watched(bench: Bench, options: BenchOptions): Promise<BenchResult> {
  const bar = progressBar(process.stderr);
  bar.show(bench.name, 0, '');
  try {
    return await bench.run({ ...options, progress: (done, now) => bar.show(bench.name, done, now) });
  } finally {
    bar.end();
  }
}

const seconds = (startedAt: number): number => Math.round((performance.now() - startedAt) / 100) / 10;

/** For scripts that run one bench, its figures are at the top level. */
function oneLine(report: BenchReport): string {
  const [only, ...others] = Object.values(report.benches);
  return JSON.stringify(only === undefined || others.length > 0 ? report : { ...only.details, ...report });
}

// A process that a signal ends by itself leaves folders and servers behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(EXIT_STOPPED));

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(usage());
  else process.exitCode = await main(options);
} catch (error) {
  const isUsage = error instanceof UsageError;
  if (!isUsage && !(error instanceof MissingProgramError)) throw error;
  process.stderr.write(`bench: ${error.message}\n${isUsage ? `\n${usage()}` : ''}`);
  process.exitCode = isUsage ? EXIT_USAGE : 1;
}
