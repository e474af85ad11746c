import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The transition table is data for a page, and what it promises is walked in a region. */
const NO_CODE = ['shared/job/transitions.ts'];

/** The files that mutation tests change: the pure core and the models of the features. */
export function mutatedFiles(): readonly string[] {
  return globSync(['shared/job/**/*.ts', 'shared/features/*/model/*.ts'], { cwd: ROOT, exclude: [...NO_CODE] }).toSorted();
}
