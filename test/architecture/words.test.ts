import { expect, test } from 'vitest';
import { type SourceFile, sourceFiles } from './source-files.ts';

/** Folders whose comments and constants are checked. */
const FOLDERS = ['shared', 'functions', 'operate', 'cli', 'console', 'infra', 'local', 'testing'];

const COMMENT = /^\s*\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/.*/gm;

/** Words of comments that say something in a roundabout way. */
const WORD = /\b(?:whoever|nobody|somebody|so\s[\s*]*many|for\s[\s*]*ever|lets?\s[\s*]*go|beside|meanwhile|told)\b/gi;

/** Limits are called `MAX_` and `MIN_`. */
const LIMIT_NAME = /\bconst ((?:MOST|LEAST)_\w+|[A-Z0-9_]+_(?:MOST|LEAST))\b/g;

const files = sourceFiles(/\.(ts|m?js)$/).filter(({ path }) => FOLDERS.some((folder) => path.startsWith(`${folder}/`)));

const place = ({ path, text }: SourceFile, index: number): string => `${path}:${text.slice(0, index).split('\n').length}`;

/** `path:line word` for each forbidden word in a comment. */
function forbiddenWords(file: SourceFile): readonly string[] {
  return [...file.text.matchAll(COMMENT)].flatMap((comment) =>
    [...comment[0].matchAll(WORD)].map((word) => `${place(file, comment.index + word.index)} ${word[0].replaceAll(/[\s*]+/g, ' ')}`),
  );
}

/** `path:line name` for each constant with a forbidden name. */
const forbiddenNames = (file: SourceFile): readonly string[] =>
  [...file.text.matchAll(LIMIT_NAME)].map(({ index, 1: name }) => `${place(file, index)} ${name}`);

test('a forbidden word is found in a comment, with its line, and not in code', () => {
  const text = `const told = 'nobody';\n/**\n * Waits for\n * ever.\n */\nrun(told); // Meanwhile\n`;
  expect(forbiddenWords({ path: 'a.ts', text })).toEqual(['a.ts:3 for ever', 'a.ts:6 Meanwhile']);
});

test('comments have no forbidden words', () => {
  expect(files.length).toBeGreaterThan(600);
  expect(files.flatMap(forbiddenWords)).toEqual([]);
});

test('a forbidden name of a constant is found where it is declared', () => {
  const text = 'const MAX_ROWS = 1;\nexport const MOST_ROWS = 2;\nconst ROWS_LEAST = MOST_ROWS;\n';
  expect(forbiddenNames({ path: 'a.ts', text })).toEqual(['a.ts:2 MOST_ROWS', 'a.ts:3 ROWS_LEAST']);
});

test('constants have no forbidden names', () => expect(files.flatMap(forbiddenNames)).toEqual([]));
