import { expect, test } from 'vitest';
import { UsageError } from '../../../scripts/command-line.ts';
import { readTortureOptions } from './torture-options.ts';

test('a torture lasts a minute from a base of its own, unless it is told otherwise', () => {
  expect(readTortureOptions([], () => 42)).toEqual({ seconds: 60, base: { from: 42, drawn: true }, json: false });
  const named = { seconds: 20, base: { from: 7, drawn: false }, json: true };
  expect(readTortureOptions(['--seconds', '20', '--from', '7', '--json'])).toEqual(named);
});

test('arguments that cannot be followed are refused', () => {
  for (const args of [['--seconds', '4'], ['--seconds', 'x'], ['--from', '-1'], ['--from', '1.5'], ['--twice'], ['more']]) {
    expect(() => readTortureOptions(args)).toThrow(UsageError);
  }
});
