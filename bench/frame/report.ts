import type { BenchResult } from './bench.ts';
import type { Machine } from './machine.ts';

/** What `--json` prints and bench/results/performance.json keeps. */
export interface BenchReport {
  /** ISO-8601, when the run began. */
  readonly date: string;
  /** A short run says nothing about speed. */
  readonly short: boolean;
  readonly rounds: number;
  readonly machine: Machine;
  readonly tookSeconds: number;
  readonly benches: Readonly<Record<string, BenchOutcome>>;
}

/** One bench of the report, without its table, with the line that says what it measures. */
export type BenchOutcome = Omit<BenchResult, 'table'> & { readonly what: string; readonly tookSeconds: number };
