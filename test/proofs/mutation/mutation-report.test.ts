import { expect, test } from 'vitest';
import { judgeMutants, readReport } from './mutation-report.ts';

const FILE = 'shared/job/a.ts';
const source = 'function isMore(n) {\n  if (n > limit)   return true;\n}\n';
const at = (line: number, from: number, to: number) => ({ start: { line, column: from }, end: { line, column: to } });
const mutant = (status: string, replacement: string) => ({ mutatorName: 'EqualityOperator', replacement, status, location: at(2, 7, 16) });
const report = (...mutants: readonly object[]): string => JSON.stringify({ files: { [FILE]: { source, mutants } } });

const explanation = {
  file: FILE,
  symbol: 'isMore',
  mutator: 'EqualityOperator',
  original: 'n > limit',
  replacement: 'n >= limit',
  because: 'n is never the limit.',
};

test('a mutant is named by its file, its symbol, its text and its replacement', () => {
  const { because: _, ...key } = explanation;
  expect(readReport(report(mutant('Survived', 'n >= limit')))).toEqual([{ ...key, status: 'Survived' }]);
});

test('a survivor fails the run unless it is explained', () => {
  const mutants = readReport(report(mutant('Survived', 'n >= limit'), mutant('Survived', 'n <= limit'), mutant('NoCoverage', 'n < limit')));
  const { survived, explained, unexplained } = judgeMutants(mutants, [explanation]);
  expect([survived, explained]).toEqual([3, 1]);
  expect(unexplained.map(({ replacement }) => replacement)).toEqual(['n <= limit', 'n < limit']);
});

test('the score counts what a test noticed, by failing or by never ending; what was not run counts for nothing', () => {
  const statuses = ['Killed', 'Killed', 'Timeout', 'Survived', 'Ignored', 'CompileError'];
  const result = judgeMutants(readReport(report(...statuses.map((status) => mutant(status, status)))), []);
  expect(result).toMatchObject({ mutants: 4, killed: 2, timeouts: 1, survived: 1, score: 75 });
});

test('an explanation that is needed no more is named, if its file was run', () => {
  const killed = readReport(report(mutant('Killed', 'n >= limit')));
  const elsewhere = { ...explanation, file: 'shared/job/b.ts' };
  expect(judgeMutants(killed, [explanation, elsewhere]).outdated).toEqual([explanation]);
});

test('a mutant on which the process of the tests gave up is not judged, and says nothing about its explanation', () => {
  const crashed = { ...mutant('RuntimeError', 'n >= limit'), statusReason: 'Test runner crashed. Tried twice to restart it.' };
  const notLoaded = { ...mutant('RuntimeError', 'n < limit'), statusReason: 'An error occurred outside of a test run' };
  const result = judgeMutants(readReport(report(crashed, notLoaded, mutant('Killed', 'false'))), [explanation]);
  expect(result.unjudged.map(({ replacement }) => replacement)).toEqual(['n >= limit']);
  expect(result).toMatchObject({ mutants: 1, score: 100, outdated: [] });
});
