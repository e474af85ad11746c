import { readFileSync } from 'node:fs';

/** The task of a judge process, in the file named by NIGHTCREW_JUDGE. */
export type JudgeOrder = {
  /** Test files to load. */
  readonly files: readonly string[];
  /** The file to which it appends its results: a JudgeLine per line. */
  readonly out: string;
} & (
  | { readonly work: 'cover' }
  | {
      readonly work: 'judge';
      readonly mutants: readonly MutantOrder[];
      /** No mutant is begun later (epoch milliseconds). */
      readonly until?: number;
      /** A single one that has to be on while the files are loaded. */
      readonly atLoad?: number;
    }
);

/** A mutant and the keys of the tests that reach it, in the order in which they are to be tried. */
export interface MutantOrder {
  readonly number: number;
  readonly tests: readonly string[];
}

/** The mutants that a test reached, by number. Absent `seen`: it failed without any mutant, took too long, or loops too often. */
export interface Covered {
  readonly test: string;
  readonly ms: number;
  readonly seen?: readonly number[];
}

/** The verdict on a mutant. `by`: starts with the test that noticed it. */
export interface Verdict {
  readonly number: number;
  readonly killed: boolean;
  readonly by?: string;
  readonly tests: number;
}

export type JudgeLine =
  | { readonly covered: Covered }
  | { readonly began: number }
  | { readonly alive: string }
  | { readonly verdict: Verdict }
  /** The process no longer passes a test without a mutant: another one has to take over. */
  | { readonly spoilt: string };

export function readOrder(file: string | undefined): JudgeOrder {
  if (file === undefined) throw new Error('NIGHTCREW_JUDGE names no order. The judge is started by npm run mutants -- --generated.');
  return JSON.parse(readFileSync(file, 'utf8')) as JudgeOrder;
}
