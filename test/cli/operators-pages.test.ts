import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { flagsOf } from '../../cli/verb-command.ts';
import type { Verb } from '../../cli/verb.ts';

/** Pages that tell people what to type at three in the morning. */
const PAGES = ['docs/operate/runbook.md', 'docs/operate/restore.md', 'docs/operate/operator-access.md', 'docs/operate/aws-console.md'];

/** Every command line of a page: in blocks of shell, and in running text. */
function commandLines(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const lines = [...blocks, ...spans].map((line) => line.replace(/\s+#.*$/, '').trim());
  return [...new Set(lines.filter((line) => line.startsWith('nightcrew ')))];
}

/** The verb that a command line asks for, as the CLI chooses it. */
function verbOf([name, first]: readonly string[]): Verb | undefined {
  const verbs = COMMANDS.find((command) => command.name === name)?.verbs ?? [];
  const named = verbs.find((verb) => verb.name !== undefined && verb.name === first);
  const bare = first === undefined || first.startsWith('-');
  return named ?? verbs.find((verb) => verb.name === undefined) ?? (bare ? verbs.find((verb) => verb.byDefault === true) : undefined);
}

describe.each(PAGES)('%s', (page) => {
  it('names commands at all', () => expect(commandLines(page).length).toBeGreaterThan(0));

  it.each(commandLines(page))('names a command that is there, with options that it takes: %s', (line) => {
    const words = line.split(/\s+/).slice(1);
    const verb = verbOf(words);
    if (verb === undefined) throw new Error(`There is no such command: ${line}`);
    const known = flagsOf(verb).map(({ flags }) => flags.split(' ')[0]);
    expect(words.filter((word) => word.startsWith('--') && !known.includes(word))).toEqual([]);
  });
});
