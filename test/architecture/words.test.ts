import { expect, test } from 'vitest';
import { type SourceFile, sourceFiles } from './source-files.ts';

/** Folders whose comments are checked. */
const FOLDERS = [
  'operate',
  'cli',
  'console',
  'infra',
  'local',
  'testing',
  'functions/acquirer',
  'functions/sweeper',
  'functions/worker',
  'functions/api',
  'shared/client',
  'shared/adapters',
  'shared/config',
  'shared/lambda',
  'shared/ports',
  'shared/job',
];

const COMMENT = /^\s*\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(),])\/\/.*/gm;

/** Words of comments that say something in a roundabout way. */
const WORD = /\b(?:whoever|nobody|somebody|so\s[\s*]*many|for\s[\s*]*ever|lets?\s[\s*]*go|beside|meanwhile|told)\b/gi;

const files = sourceFiles(/\.(ts|m?js)$/).filter(({ path }) => FOLDERS.some((folder) => path.startsWith(`${folder}/`)));

/** `path:line word` for each forbidden word in a comment. */
function forbiddenWords({ path, text }: SourceFile): readonly string[] {
  return [...text.matchAll(COMMENT)].flatMap((comment) =>
    [...comment[0].matchAll(WORD)].map((word) => {
      const line = text.slice(0, comment.index + word.index).split('\n').length;
      return `${path}:${line} ${word[0].replaceAll(/[\s*]+/g, ' ')}`;
    }),
  );
}

test('a forbidden word is found in a comment, with its line, and not in code', () => {
  const text = `const told = 'nobody';\n/**\n * Waits for\n * ever.\n */\nrun(told); // Meanwhile\n`;
  expect(forbiddenWords({ path: 'a.ts', text })).toEqual(['a.ts:3 for ever', 'a.ts:6 Meanwhile']);
});

test('comments have no forbidden words', () => {
  expect(files.length).toBeGreaterThan(600);
  expect(files.flatMap(forbiddenWords)).toEqual([]);
});
