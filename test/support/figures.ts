import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a proof measured: counts, durations in seconds, versions. */
export type Figures = Readonly<Record<string, number | string>>;

/** Where the last run of each proof leaves its figures, for the table of docs/reliability.md. Not in git. */
export const FIGURES_FOLDER: string = join(import.meta.dirname, '..', '..', '.proof');

/** Keeps the figures of a proof that passed, and prints them on one line: `proof <name>: key value, ...`. */
export function recordFigures(proof: string, figures: Figures): void {
  mkdirSync(FIGURES_FOLDER, { recursive: true });
  writeFileSync(join(FIGURES_FOLDER, `${proof}.json`), `${JSON.stringify(figures, undefined, 2)}\n`);
  const text = Object.entries(figures).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en-US') : value}`,
  );
  process.stdout.write(`proof ${proof}: ${text.join(', ')}\n`);
}
