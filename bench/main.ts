import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCHES } from './benches.ts';
import type { BenchResult } from './frame/bench.ts';
import { thisMachine } from './frame/machine.ts';
import { measurementTable } from './frame/measurement-table.ts';
import { progressBar } from './frame/progress-bar.ts';
import type { BenchOutcome, BenchReport } from './frame/report.ts';
import { type BenchOptions, readOptions, usage, UsageError } from './options.ts';

const EXIT_USAGE = 2;
const SAVED = join(import.meta.dirname, '..', 'docs', 'performance.json');

async function main(options: BenchOptions): Promise<number> {
  const { benches: chosen, rounds, short, json, save } = options;
  const date = new Date().toISOString();
  const startedAt = performance.now();
  const benches: Record<string, BenchOutcome> = {};
  let counted = true;
  for (const bench of BENCHES.filter(({ name }) => chosen.includes(name))) {
    const { name } = bench;
    const { result, tookSeconds } = await timed(options, name);
    if (!json) process.stdout.write(`${result.table ?? measurementTable(name, result)}\n\n`);
    const { table: _, ...outcome } = result;
    benches[name] = { ...outcome, tookSeconds };
    if (bench.counts === true && result.measurements.some(({ met }) => met === false)) counted = false;
  }
  const report: BenchReport = { date, short, rounds, machine: thisMachine(), tookSeconds: seconds(startedAt), benches };
  if (json) process.stdout.write(`${oneLine(report)}\n`);
  if (save) writeFileSync(SAVED, `${JSON.stringify(report, undefined, 1)}\n`);
  return counted ? 0 : 1;
}

async function timed(options: BenchOptions, name: string): Promise<{ readonly result: BenchResult; readonly tookSeconds: number }> {
  const bench = BENCHES.find((one) => one.name === name);
  if (bench === undefined) throw new Error(`${name} is no bench.`);
  const startedAt = performance.now();
  const bar = progressBar(process.stderr);
  bar.show(name, 0, '');
  try {
    const result = await bench.run({ ...options, progress: (done, now) => bar.show(name, done, now) });
    return { result, tookSeconds: seconds(startedAt) };
  } finally {
    bar.end();
  }
}

const seconds = (startedAt: number): number => Math.round((performance.now() - startedAt) / 100) / 10;

/** Scripts that ask for one bench find its own figures at the top. */
function oneLine(report: BenchReport): string {
  const [only, ...others] = Object.values(report.benches);
  return JSON.stringify(only === undefined || others.length > 0 ? report : { ...only.details, ...report });
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(usage());
  else process.exitCode = await main(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`bench: ${error.message}\n\n${usage()}`);
  process.exitCode = EXIT_USAGE;
}
