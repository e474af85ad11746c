import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromRoot } from './source-files.ts';

const FENCE = /^(`{3,}|~{3,}).*\n[\s\S]*?^\1.*$/gm;
const RULE = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/;

/** Cells of a row: a bar splits, in code spans too, unless it is escaped. */
const cellsOf = (line: string): number =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/).length;

/** Rows of a table that are not as wide as its header; what is beyond the header is not shown. */
function unevenRows(text: string): readonly string[] {
  const lines = text.replaceAll(FENCE, '').split('\n');
  return lines.flatMap((line, index) => {
    if (!RULE.test(line) || !line.includes('|')) return [];
    const end = lines.findIndex((one, at) => at > index && !one.includes('|'));
    const rows = lines.slice(index, end === -1 ? undefined : end);
    const width = cellsOf(lines[index - 1] ?? '');
    return rows.filter((row) => cellsOf(row) !== width);
  });
}

const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test.each(PAGES)('%s has only tables whose rows are as wide as their header', (page) =>
  expect(unevenRows(readFileSync(fromRoot(page), 'utf8'))).toEqual([]),
);

test('a row that is wider than its header is found', () => {
  expect(unevenRows('| a | b |\n| --- | --- |\n| 1 | 2 |\n| `x \\| y` | 3 |\n')).toEqual([]);
  expect(unevenRows('text\n\n| a | b |\n| --- | --- |\n| 1 | 2 | 3 |\n\nend')).toEqual(['| 1 | 2 | 3 |']);
});
