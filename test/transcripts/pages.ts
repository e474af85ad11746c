import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StateName } from '../proofs/orders/situation.ts';
import type { Verb } from '../proofs/orders/verbs/verb.ts';
import { sectionOf, statesOf } from './sections.ts';

const FOLDER = join(import.meta.dirname, 'pages');
const pageOf = (verb: Verb): string => join(FOLDER, `${verb.name}.txt`);
const heading = (state: StateName): string => `# ${state}\n\n`;

/** What is written down of a verb in a state; empty: nothing. */
export function writtenDown(verb: Verb, state: StateName): string {
  const page = existsSync(pageOf(verb)) ? readFileSync(pageOf(verb), 'utf8') : '';
  const from = page.indexOf(heading(state));
  if (from === -1) return '';
  const through = page.indexOf('\n# ', from + 1);
  return page.slice(from + heading(state).length, through === -1 ? undefined : through);
}

/** Verbs that have a page. */
export const pagesThere = (): readonly string[] => globSync('*.txt', { cwd: FOLDER }).map((file) => file.slice(0, -'.txt'.length));

/** Writes the pages of all verbs anew. */
export async function writePages(verbs: readonly Verb[]): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const verb of verbs) {
    const sections: string[] = [];
    for (const state of statesOf(verb)) sections.push(heading(state) + (await sectionOf(verb, state)));
    writeFileSync(pageOf(verb), sections.join('\n'));
  }
}
