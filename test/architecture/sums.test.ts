import { expect, test } from 'vitest';
import { sourceFiles } from './source-files.ts';

/** `sum += await work()` reads the sum before it waits: what others add meanwhile is lost. */
const READ_BEFORE_WAIT = /[+*-]=\s*\(*await\b/;
const PRODUCT = /^(shared|functions|operate|testing|infra|cli|console|local)\//;

test('no sum is read before it waits for what is added to it', () => {
  expect(['sum += await work();', 'sum -= (await work()).count;'].every((text) => READ_BEFORE_WAIT.test(text))).toBe(true);
  const product = sourceFiles().filter(({ path }) => PRODUCT.test(path));
  expect(product.length).toBeGreaterThan(100);
  expect(product.filter(({ text }) => READ_BEFORE_WAIT.test(text)).map(({ path }) => path)).toEqual([]);
});
