import { expect, test } from 'vitest';
import { readStartOptions, UsageError } from '../../local/start-options.ts';

test('without flags the region runs until it is stopped, at a modest rate', () => {
  expect(readStartOptions([])).toEqual({ once: false, json: false, help: false, console: true, rate: 2, seed: 1 });
});

test('the scenario has a size and a rate of its own, which flags replace', () => {
  expect(readStartOptions(['--once'])).toMatchObject({ once: true, orders: 30, rate: 20 });
  expect(readStartOptions(['--once', '--json', '--orders', '12', '--rate=0.5', '--seed', '7'])).toEqual({
    once: true,
    json: true,
    help: false,
    console: false,
    orders: 12,
    rate: 0.5,
    seed: 7,
  });
});

test('the console is left out when it is not wanted', () => {
  expect(readStartOptions(['--no-console'])).toMatchObject({ console: false, once: false });
});

test.each([
  ['an unknown flag', ['--onec'], '--onec'],
  ['a word without a flag', ['once'], 'once'],
  ['JSON without the scenario', ['--json'], 'Add --once'],
  ['a count that is no number', ['--orders', 'many'], '--orders: "many"'],
  ['a count of none', ['--orders', '0'], 'from 1 to'],
  ['a fraction of an order', ['--orders', '1.5'], 'whole number'],
  ['a rate of none', ['--rate', '0'], 'from 0.01'],
  ['a rate that is huge', ['--rate', '1e9'], '--rate: "1e9"'],
  ['a negative seed', ['--seed=-1'], '--seed: "-1"'],
])('%s is refused, and the refusal names it', (_, args, named) => {
  expect(() => readStartOptions(args)).toThrow(UsageError);
  expect(() => readStartOptions(args)).toThrow(named);
});

test('the console has the port of the flag, then that of the environment', () => {
  expect(readStartOptions([], '8080').port).toBe(8080);
  expect(readStartOptions(['--port', '9000'], '8080').port).toBe(9000);
  expect(readStartOptions([], '').port).toBeUndefined();
  expect(() => readStartOptions([], 'eighty')).toThrow(/^PORT: "eighty"/);
});
