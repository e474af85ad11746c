import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Base } from './base-seed.ts';

/** The figures of a proof: counts, durations in seconds, versions. */
export type Figures = Readonly<Record<string, number | string>>;

/** A run of a proof, for docs/reference/reliability.md. */
export interface Run {
  readonly proof: string;
  readonly date: string;
  /** Absent for a proof that draws nothing. */
  readonly base?: number;
  /** Absent when the run broke a promise. */
  readonly figures?: Figures;
}

/** The output folder of this checkout's proofs. Not in git. */
export const FIGURES_FOLDER: string = join(import.meta.dirname, '..', '..', '.proof');

/** Its runs, one a line, until they are recorded. */
export const RUNS_FILE: string = join(FIGURES_FOLDER, 'runs.jsonl');

/** Notes the figures of a run that passed, and prints them on one line: `proof <name>: key value, ...`. A repeated run is only printed. */
export function recordFigures(proof: string, figures: Figures, base?: Base): void {
  if (base?.drawn !== false) note({ proof, ...drawnFrom(base), figures });
  const named: Figures = base === undefined ? figures : { ...figures, base: String(base.from) };
  const text = Object.entries(named).map(([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en-US') : value}`);
  process.stdout.write(`proof ${proof}: ${text.join(', ')}\n`);
}

/** Records that a run broke a promise: the sums of its proof start again after it. */
export function recordFailure(proof: string, base: Base): void {
  if (base.drawn) note({ proof, ...drawnFrom(base) });
}

const drawnFrom = (base: Base | undefined): Pick<Run, 'base'> => (base === undefined ? {} : { base: base.from });

function note(run: Omit<Run, 'date'>): void {
  mkdirSync(FIGURES_FOLDER, { recursive: true });
  const { proof, ...others } = run;
  const noted: Run = { proof, date: new Date().toISOString().slice(0, 10), ...others };
  appendFileSync(RUNS_FILE, `${JSON.stringify(noted)}\n`);
}
