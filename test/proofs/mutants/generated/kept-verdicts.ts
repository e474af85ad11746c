import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FIGURES_FOLDER } from '../../../support/figures.ts';
import { generatorFiles, hashOf } from './coverage.ts';
import type { GeneratedMutant } from './mutants.ts';

const FILE = join(FIGURES_FOLDER, 'generated-mutants.jsonl');

/** The verdict on a mutant. `source`: hash of the file and the operators at that time. */
export interface KeptVerdict {
  readonly id: string;
  readonly source: string;
  readonly killed: boolean;
  readonly by?: string;
}

const hashes = new Map<string, string>();
function sourceHash(file: string): string {
  const known = hashes.get(file) ?? hashOf([file, ...generatorFiles()]);
  hashes.set(file, known);
  return known;
}

/** Verdicts of earlier runs on files that have not changed since: a run over everything continues where it was stopped. */
export function keptVerdicts(mutants: readonly GeneratedMutant[]): ReadonlyMap<string, KeptVerdict> {
  const kept = new Map<string, KeptVerdict>();
  const files = new Map(mutants.map(({ id, file }) => [id, file]));
  for (const line of existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n') : []) {
    if (line === '') continue;
    const verdict = JSON.parse(line) as KeptVerdict;
    const file = files.get(verdict.id);
    if (file !== undefined && sourceHash(file) === verdict.source) kept.set(verdict.id, verdict);
  }
  return kept;
}

export function keepVerdict({ id, file }: GeneratedMutant, verdict: { readonly killed: boolean; readonly by?: string }): void {
  mkdirSync(dirname(FILE), { recursive: true });
  const { killed, by } = verdict;
  appendFileSync(
    FILE,
    `${JSON.stringify({ id, source: sourceHash(file), killed, ...(by === undefined ? {} : { by }) } satisfies KeptVerdict)}\n`,
  );
}
