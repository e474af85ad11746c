import type { BenchResult } from './bench.ts';
import type { Machine } from './machine.ts';

/** The content of `--json` and of bench/results/performance.json. */
export interface BenchReport {
  /** ISO-8601, when the run began. */
  readonly date: string;
  /** A short run is not a measure of speed. */
  readonly short: boolean;
  readonly rounds: number;
  readonly machine: Machine;
  readonly tookSeconds: number;
  readonly benches: Readonly<Record<string, BenchOutcome>>;
}

/** One bench of the report, without its table, with its description. */
export type BenchOutcome = Omit<BenchResult, 'table'> & { readonly what: string; readonly tookSeconds: number };
