import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PairReport } from './walk-pair.ts';

/** What was walked of everything: a line for each pair, so that a run that is ended continues where it was, also after a verb was added. */
export class Progress {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  restart(): void {
    rmSync(this.#file, { force: true });
  }

  /** The pairs that were walked, by their text. */
  read(): ReadonlyMap<string, PairReport> {
    if (!existsSync(this.#file)) return new Map();
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return new Map(lines.flatMap((line) => parsed(line) ?? []).map((report) => [report.pair, report]));
  }

  add(reports: readonly PairReport[]): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, reports.map((report) => `${JSON.stringify(report)}\n`).join(''));
  }
}

/** The last line may be half a line: its pair is walked again. */
function parsed(line: string): PairReport | undefined {
  try {
    return JSON.parse(line) as PairReport;
  } catch {
    return undefined;
  }
}
