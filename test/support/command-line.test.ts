import { expect, test } from 'vitest';
import { baseLine, FROM, partOf, readBase } from './base-seed.ts';
import { FLAG, oneOf, readArguments, TEXT, UsageError, wholeNumber } from '../../scripts/command-line.ts';

test('a base is drawn afresh for each run unless one is named', () => {
  const drawn = Array.from({ length: 20 }, () => readBase(undefined));
  expect(new Set(drawn.map(({ from }) => from)).size).toBeGreaterThan(15);
  for (const base of drawn) expect(readBase(String(base.from))).toEqual({ from: base.from, drawn: false });
});

test('a run says how it is repeated, with the same options', () => {
  const line = baseLine({ from: 7, drawn: true }, 'simulate', ['--seeds', '50', '--json']);
  expect(line).toBe('base 7, drawn at random; to repeat: npm run simulate -- --seeds 50 --json --from 7');
  const repeated = ['--from', '7', '--seeds', '50', '--json'];
  expect(baseLine({ from: 7, drawn: false }, 'simulate', repeated)).toContain('npm run simulate -- --seeds 50 --json --from 7');
});

test('bases choose among all parts of a suite', () => {
  const parts = Array.from({ length: 5 }, (_, from) => partOf({ from, drawn: true }, 5));
  expect(parts).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5']);
});

test('options are read by their kind', () => {
  const values = readArguments(['--from=7', '--json'], { ...FROM, json: FLAG, seeds: TEXT });
  expect(values).toEqual({ from: '7', json: true });
  expect(wholeNumber('seconds', '60', [1, 60])).toBe(60);
  expect(oneOf('store', 'b', ['a', 'b'])).toBe('b');
});

test.each([
  ['an option that is not there', () => readArguments(['--form', '7'], FROM)],
  ['a word that is no option', () => readArguments(['7'], FROM)],
  ['a number below the least', () => wholeNumber('seeds', '0')],
  ['a number above the most', () => wholeNumber('seconds', '61', [1, 60])],
  ['a fraction', () => readBase('1.5')],
  ['a base that no source of chance takes', () => readBase(String(2 ** 31))],
  ['a name that is not one of those possible', () => oneOf('store', 'c', ['a', 'b'])],
])('%s is refused as a mistake of the caller', (_, read) => {
  expect(read).toThrow(UsageError);
});
