import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../shared/job/hash.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const JUDGED = join(import.meta.dirname, 'judged.json');

/** The hash of each file's text when all its survivors had been killed or explained. */
type Judged = Readonly<Record<string, string>>;

const read = (): Judged => JSON.parse(readFileSync(JUDGED, 'utf8')) as Judged;
const hashOf = (file: string): string => sha256(readFileSync(join(ROOT, file), 'utf8')).slice(0, 12);

/** Files whose survivors were all killed or explained once. */
export const judgedFiles = (): readonly string[] => Object.keys(read());

/** Those of them that have another text now: nobody knows whether a test notices what has changed. */
export const changedSinceJudged = (): readonly string[] =>
  Object.entries(read())
    .filter(([file, hash]) => hashOf(file) !== hash)
    .map(([file]) => file);

/** Notes those of these files that had been judged as they are now. */
export function noteJudged(files: readonly string[]): void {
  const before = read();
  const now = Object.entries(before).map(([file, hash]) => [file, files.includes(file) ? hashOf(file) : hash]);
  const text = `${JSON.stringify(Object.fromEntries(now), undefined, 2)}\n`;
  if (text !== readFileSync(JUDGED, 'utf8')) writeFileSync(JUDGED, text);
}
