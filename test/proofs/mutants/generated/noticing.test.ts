import { expect, test } from 'vitest';
import { fastTestFiles } from './fast-tests.ts';
import { mutatedFiles } from './mutants.ts';
import { noticing } from './noticing.ts';

test('the test files of noticing.json are fast tests, and its sources have mutants', () => {
  const [sources, tests] = [new Set(mutatedFiles()), new Set(fastTestFiles())];
  expect(Object.keys(noticing()).filter((file) => !sources.has(file))).toEqual([]);
  expect([...new Set(Object.values(noticing()).flat())].filter((file) => !tests.has(file))).toEqual([]);
});
