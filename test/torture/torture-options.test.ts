import { expect, test } from 'vitest';
import { readTortureOptions } from './torture-options.ts';

test('a torture lasts a minute with a seed of its own, unless it is told otherwise', () => {
  expect(readTortureOptions([], () => 0.5)).toEqual({ seconds: 60, seed: 2 ** 30, json: false });
  expect(readTortureOptions(['--seconds', '20', '--seed', '7', '--json'], () => 0.5)).toEqual({ seconds: 20, seed: 7, json: true });
});

test('arguments that cannot be followed are refused', () => {
  for (const args of [['--seconds', '4'], ['--seconds', 'x'], ['--seed', '-1'], ['--seed', '1.5'], ['--twice'], ['more']]) {
    expect(readTortureOptions(args, () => 0.5)).toBeUndefined();
  }
});
