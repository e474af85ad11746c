import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StateName } from '../proofs/orders/situation.ts';
import type { Verb } from '../proofs/orders/verbs/verb.ts';
import { VERBS } from '../proofs/orders/verbs/verbs.ts';
import { wrapped } from './names.ts';
import { nameOf, situationsOf, statesOf } from './situations.ts';
import { transcribe } from './transcribe.ts';

const FOLDER = join(import.meta.dirname, 'pages');
/** Headings, and what is below them. */
const BLOCK = /((?:^# .*\n)+)((?:^(?!# ).*\n)+)/gm;

/** The verbs that have a page. */
export const WRITING_VERBS: readonly Verb[] = VERBS.filter(({ reads }) => reads !== true);

/** The recorded pages by verb. */
export const RECORDED: ReadonlyMap<string, string> = new Map(
  globSync(join(FOLDER, '*.txt')).map((file) => [basename(file, '.txt'), readFileSync(file, 'utf8')]),
);

/** What a verb does in a state, by situation. */
export async function transcriptsOf(verb: Verb, state: StateName): Promise<Readonly<Record<string, string>>> {
  const transcripts: Record<string, string> = {};
  for (const one of situationsOf(verb, state)) transcripts[nameOf(one)] = (await transcribe(verb, one)).join('\n');
  return transcripts;
}

/** The same as recorded on the verb's page. */
export function recordedOf(verb: Verb, state: StateName): Readonly<Record<string, string>> {
  const entries = [...(RECORDED.get(verb.name) ?? '').matchAll(BLOCK)].flatMap(([, headings = '', text = '']) => {
    const [, situations] = new RegExp(`(?:# |; )${state}: ([^;\\n]*)`).exec(headings) ?? [];
    return situations?.split(' ').map((name) => [name, text.trimEnd()] as const) ?? [];
  });
  return Object.fromEntries(entries);
}

/** Records the pages of all verbs again. */
export async function recordPages(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const verb of WRITING_VERBS) writeFileSync(join(FOLDER, `${verb.name}.txt`), await pageOf(verb));
}

/** Each transcript once, under the situations in which the verb does that: `# ready: plain key; running: plain`. */
async function pageOf(verb: Verb): Promise<string> {
  const headings = new Map<string, string[]>();
  for (const state of statesOf(verb)) {
    const byText = Map.groupBy(Object.entries(await transcriptsOf(verb, state)), ([, text]) => text);
    for (const [text, same] of byText)
      headings.set(text, [...(headings.get(text) ?? []), `${state}: ${same.map(([name]) => name).join(' ')}`]);
  }
  return [...headings].map(([text, parts]) => `${wrapped(`# ${parts.join('; ')}`, '; ', '# ')}\n${text}\n`).join('');
}
