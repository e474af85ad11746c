import type { Share } from '../scale/share.ts';
import type { Measurement } from './measurement.ts';

/** How much is measured. */
export interface BenchPlan {
  readonly rounds: number;
  /** For a gate: little work, so that each figure takes seconds; none of them is reliable. */
  readonly short: boolean;
  /** Reports the progress of this bench, from 0 to 1, and its next step. */
  readonly progress: (done: number, now: string) => void;
  /** Of `cost` alone: jobs of each kind. */
  readonly jobs?: number;
  /** Of `scale` alone: which part of each size, and which scenarios; all of them where none is named. */
  readonly share?: Share;
  readonly scenarios: readonly string[];
}

/** The result of one bench. */
export interface BenchResult {
  readonly measurements: readonly Measurement[];
  /** Notes on the figures, one sentence each. */
  readonly notes?: readonly string[];
  /** More than lines of figures, for a chart or a table of its own; plain JSON. */
  readonly details?: object;
  /** The report for people, where lines of figures are not enough. */
  readonly table?: string;
}

/** One bench of `npm run bench`. */
export interface Bench {
  readonly name: string;
  /** One line, for the usage and the page. */
  readonly what: string;
  /** Its figures are counts that no machine changes, so a missed target fails the command. */
  readonly counts?: true;
  /** Programs of the system that it starts. A missing one is told before any bench begins. */
  readonly programs?: readonly string[];
  /** Ids of its figures, in any order; absent where only a run can tell them. */
  readonly figures?: readonly string[];
  readonly run: (plan: BenchPlan) => Promise<BenchResult>;
}
