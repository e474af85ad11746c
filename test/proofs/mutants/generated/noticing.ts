import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileOf } from './coverage.ts';
import type { KeptVerdict } from './kept-verdicts.ts';
import type { GeneratedMutant } from './mutants.ts';

const FILE = join(import.meta.dirname, 'noticing.json');

/** The test files that noticed the mutants of each source when all were judged: a sample asks them first, and the others only if it must. */
export const noticing = (): Readonly<Record<string, readonly string[]>> =>
  JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, readonly string[]>;

/** Records which test files noticed the judged mutants; other sources keep their records. */
export function noteNoticing(every: readonly GeneratedMutant[], kept: ReadonlyMap<string, KeptVerdict>): void {
  const known = noticing();
  const sources = [...Map.groupBy(every, ({ file }) => file)].flatMap(([source, mutants]) => {
    const tests = mutants.flatMap(({ id }) => kept.get(id)?.by ?? []).map(fileOf);
    const noted = tests.length === 0 ? (known[source] ?? []) : [...new Set(tests)].toSorted();
    return noted.length === 0 ? [] : [`  ${JSON.stringify(source)}: ${JSON.stringify(noted)}`];
  });
  writeFileSync(FILE, `{\n${sources.join(',\n')}\n}\n`);
}
