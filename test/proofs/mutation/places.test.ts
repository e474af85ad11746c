import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Explanation } from './mutation-report.ts';
import { goneTexts, placeOf, textsOf } from './places.ts';

const FILE = 'shared/job/a.ts';
const isMore = (body: string): string => `export function isMore(n) {\n  ${body}\n}\n`;
const gone = (source: string, explained: { readonly original: string; readonly place?: string }): readonly string[] =>
  goneTexts([{ file: FILE, symbol: 'isMore', ...explained }], () => textsOf(FILE, source));

describe('an explained text', () => {
  test('is found when the rest of its line changes, and when other lines are added', () => {
    for (const source of [isMore('return n > 1;'), `const one = 1;\n${isMore('if (n > 1 && !one) return true;\n  return n > 2;')}`]) {
      expect(gone(source, { original: 'n > 1' })).toEqual([]);
    }
  });

  test('is not found in another symbol or with another text, and the message says where it is now', () => {
    expect(gone(`const isLess = (n) => n > 1;\n${isMore('return n;')}`, { original: 'n > 1' })).toEqual([
      `${FILE}: n > 1 is not in isMore. It is now in isLess. Correct the entry of survivors.json, or remove it. ` +
        `To see which are not noticed: npm run mutation -- --json --files ${FILE}`,
    ]);
    expect(gone(isMore('return n > 10;'), { original: 'n > 1' })).toEqual([expect.stringContaining('It is gone from the file.')]);
  });

  test('needs its place when the symbol has several of it, so that one more invalidates the entry', () => {
    const twice = isMore("return f('', '');");
    expect(gone(twice, { original: "''", place: '2/2' })).toEqual([]);
    expect(gone(twice, { original: "''" })).toEqual([expect.stringContaining('It is now in isMore (1/2), isMore (2/2).')]);
    expect(gone(isMore("return f('', '', '');"), { original: "''", place: '2/2' })).toHaveLength(1);
  });

  test('is gone with its file', () => {
    expect(goneTexts([{ file: 'shared/job/gone.ts', symbol: 'a', original: 'b' }])).toHaveLength(1);
  });
});

test('the place of a text is found from its offsets', () => {
  const source = isMore("return f('', '');");
  const at = source.lastIndexOf("''");
  expect(placeOf(textsOf(FILE, source), at, at + 2)).toEqual({ symbol: 'isMore', place: '2/2' });
  expect(placeOf(textsOf(FILE, source), at, at + 1)).toEqual({ symbol: 'isMore', place: '2/2' });
});

test('the text of every explained survivor is still in its symbol', () => {
  const all = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8')) as readonly Explanation[];
  expect(goneTexts(all)).toEqual([]);
});
