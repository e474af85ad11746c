import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StateName } from '../proofs/orders/situation.ts';
import type { Verb } from '../proofs/orders/verbs/verb.ts';
import { VERBS } from '../proofs/orders/verbs/verbs.ts';
import { nameOf, situationsOf, statesOf } from './situations.ts';
import { transcribe } from './transcribe.ts';

const FOLDER = join(import.meta.dirname, 'pages');
const fileOf = (name: string): string => join(FOLDER, `${name}.txt`);

/** The verbs that have a page. */
export const WRITING_VERBS: readonly Verb[] = VERBS.filter(({ reads }) => reads !== true);

/** What a verb does in a state, by situation. */
export async function transcriptsOf(verb: Verb, state: StateName): Promise<Readonly<Record<string, string>>> {
  const transcripts: Record<string, string> = {};
  for (const one of situationsOf(verb, state)) transcripts[nameOf(one)] = (await transcribe(verb, one)).join('\n');
  return transcripts;
}

/** The same as recorded on the verb's page. */
export function recordedOf(verb: Verb, state: StateName): Readonly<Record<string, string>> {
  const blocks = recordedPage(verb).split(/^# /m).slice(1);
  const entries = blocks.flatMap((block) => {
    const [heading = '', ...lines] = block.trimEnd().split('\n');
    const situations = heading.split('; ').find((part) => part.startsWith(`${state}: `)) ?? '';
    return situations
      .split(' ')
      .slice(1)
      .map((name) => [name, lines.join('\n')]);
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The recorded page; empty if there is none. */
export const recordedPage = ({ name }: Verb): string => (existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : '');

/** The verbs with a recorded page. */
export const recordedNames = (): readonly string[] => globSync('*.txt', { cwd: FOLDER }).map((file) => file.slice(0, -'.txt'.length));

/** Records the pages of all verbs again. */
export async function recordPages(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const verb of WRITING_VERBS) writeFileSync(fileOf(verb.name), await pageOf(verb));
}

/** Each transcript once, under the situations in which the verb does that: `# ready: plain key; running: plain`. */
async function pageOf(verb: Verb): Promise<string> {
  const headings = new Map<string, string[]>();
  for (const state of statesOf(verb)) {
    const byText = Map.groupBy(Object.entries(await transcriptsOf(verb, state)), ([, text]) => text);
    for (const [text, same] of byText)
      headings.set(text, [...(headings.get(text) ?? []), `${state}: ${same.map(([name]) => name).join(' ')}`]);
  }
  return [...headings].map(([text, parts]) => `# ${parts.join('; ')}\n${text}\n`).join('');
}
